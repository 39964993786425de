"""Tests how commands read files: endless files end at a limit, pipes work, and Ctrl-C ends the wait for a pipe.

usage: file_reading_test.py REWROUGHT   (reads corpus/samples below the working directory)
"""
import glob
import os
import signal
import subprocess
import time

import command_line

PROVED = "(('iadd', 'a', 'b'), ('iadd', 'b', 'a'))\n"


class FileReadingTest(command_line.CommandLineTest):
    def commands_that_read(self, file):
        """Returns a command line for each kind of file."""
        return [
            ("check", file),
            ("eval", "('iadd', a, b)", "--vectors", file),
            ("enumerate", "--ops", "iadd", "--vars", "1", "--size", "1", "--width", "4", "--machine", file),
            ("export", "--machine", "agx_g13", "--db", self.path("e.db"), "-o", self.path("pack"), "--waivers", file),
            ("nightly", file, "--db", self.path("n.db")),
            ("check", "(('iadd', a, b), ('iadd', b, a))", "--server", "localhost:1", "--tls-ca", file),
            ("serve", "--db", self.path("s.db"), "--grpc", "localhost:0", "--tls-cert", file, "--tls-key", file),
        ]

    def test_an_endless_file_is_too_large(self):
        shader = sorted(glob.glob("corpus/samples/spirv/*.spv"))[0]
        for database in ("e.db", "s.db"):
            self.assertEqual(self.run_it("harvest", shader, "--db", self.path(database)).code, 0)
        for arguments in self.commands_that_read("/dev/zero"):
            with self.subTest(command=arguments):
                self.assert_refused(self.run_it(*arguments), "/dev/zero: more than", "the limit for")

    def test_pipes_are_read(self):
        self.assertEqual(self.run_it("check", "/dev/stdin", stdin=PROVED).code, 0)
        done = subprocess.run(["bash", "-c", '"$0" check <(printf "%s" "$1")', command_line.BINARY, PROVED],
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_interrupt_ends_the_wait(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        for arguments in (("check", pipe), ("harvest", pipe, "--db", self.path("h.db")),
                          ("harvest", "/dev/zero", "--db", self.path("h.db")),
                          ("enumerate", "--ops", "iadd", "--vars", "1", "--size", "1", "--width", "4", "--machine", pipe)):
            with self.subTest(command=arguments):
                with subprocess.Popen(command_line.command(*arguments), stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE) as process:
                    while not self.catches(process.pid):
                        self.assertIsNone(process.poll())
                        time.sleep(0.01)
                    process.send_signal(signal.SIGINT)
                    try:
                        _, err = process.communicate(timeout=60)
                    finally:
                        process.kill()
                self.assertEqual(process.returncode, 130, err)

    @staticmethod
    def catches(pid):
        """Returns whether the process blocks SIGINT, so that its own thread handles the signal."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            blocked = [line for line in file if line.startswith("SigBlk:")]
        return bool(blocked) and int(blocked[0].split()[1], 16) >> (signal.SIGINT - 1) & 1 == 1

    def test_a_folder_with_a_pipe_is_harvested_without_it(self):
        os.mkdir(self.path("shaders"))
        os.mkfifo(self.path("shaders/a.frag"))
        self.write("shaders/b.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n")
        result = self.run_it("harvest", self.path("shaders"), "--db", self.path("f.db"), "--json")
        self.assertEqual(result.code, 0, result.err)


class ArgumentTest(command_line.CommandLineTest):
    def test_an_unknown_command_is_an_error_before_help(self):
        for arguments in (("prove", "--help"), ("--help", "prove"), ("prove",)):
            self.assert_refused(self.run_it(*arguments), "'prove' is not a command", "`rewrought improve`")
        self.assert_refused(self.run_it("pack", "verfy", "--help"), "'verfy' is not a command", "`rewrought pack verify`")
        self.assertEqual(self.run_it("pack", "verify", "--help").code, 0)

    def test_a_list_of_rules_is_an_argument(self):
        result = self.run_it("check", "[(('iadd', a, 0), a), (('imul', a, 1), a)]", "--json", "--widths", "8")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([line["verdict"] for line in result.objects()], ["proved", "proved"])


if __name__ == "__main__":
    command_line.main()
