// A runner compiles the programs that its standard input names. It writes the driver's messages about each program,
// one JSON object per line, to the file descriptor in RIG_RESULTS. The environment selects the driver
// (tools/driver_rig/run).
//
// Each input line contains either a number and the files of one program, separated by tabs, or "set", an environment
// variable and its value. The output is {"start": N} before the compilation of a program, then for each compilation
// {"program": N, "mode": "linked" or "alone", "api": ..., "stages": [...], "messages": [...], "error": ..., "applied":
// ["PLACE RULE TIMES", ...]}, and finally {"done": N}. If RIG_NIR (a folder) and RIG_PLACES (separated by spaces; see
// nir_states.h) are set, the runner writes the NIR at these places to RIG_NIR/PLACE/N.MODE.STAGE.nir; this requires
// NIR_DEBUG=print. If RIG_PRINTED is set, each object also has "printed": up to kMostPrinted bytes of the driver's
// standard output and standard error.
#include "tools/driver_rig/runner/session.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "tools/driver_rig/runner/nir_states.h"

namespace driver_rig {
namespace {

constexpr size_t kMostPrinted = 4 << 20;

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

template <typename Range, typename Function>
std::string List(const Range& range, Function text_of) {
  std::string list = "[";
  for (const auto& element : range) list += (list.size() > 1 ? ", " : "") + text_of(element);
  return list + "]";
}

// Captures standard output while a program compiles. The output contains NIR if NIR was requested.
class StandardOutput {
 public:
  StandardOutput() : file_(memfd_create("stdout", MFD_CLOEXEC)) { dup2(file_, STDOUT_FILENO); }

  void HoldErrorsToo() { dup2(file_, STDERR_FILENO); }

  std::string Take() {
    std::fflush(stdout);
    std::string text(static_cast<size_t>(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), '\0');
    size_t size = 0;
    for (ssize_t part; (part = pread(file_, text.data() + size, text.size() - size, static_cast<off_t>(size))) > 0;) {
      size += static_cast<size_t>(part);
    }
    text.resize(size);
    if (ftruncate(file_, 0) != 0) std::perror("runner: ftruncate");
    lseek(file_, 0, SEEK_SET);
    return text;
  }

 private:
  int file_;
};

// Counts how often each rule of a trial was applied (trial_pass.py). The keys are "PLACE RULE".
std::map<std::string, int> AppliedRules(const std::string& output) {
  std::map<std::string, int> applied;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("rig: ")) ++applied[line.substr(5)];
  }
  return applied;
}

class Session {
 public:
  explicit Session(Compiler& compiler) : compiler_(compiler) {}

  std::string Open() {
    const char* results = std::getenv("RIG_RESULTS");
    results_ = results == nullptr ? nullptr : fdopen(std::atoi(results), "w");
    if (results_ == nullptr) return "RIG_RESULTS is not an open file descriptor";
    if (const char* nir = std::getenv("RIG_NIR")) nir_ = nir;
    if (const char* places = std::getenv("RIG_PLACES")) {
      std::istringstream words(places);
      for (std::string word; words >> word;) {
        if (!ParsePlace(word, places_.emplace_back())) return "RIG_PLACES: '" + word + "' is not a place";
      }
    }
    const std::string error = compiler_.Open();
    tells_printed_ = error.empty() && std::getenv("RIG_PRINTED") != nullptr;
    if (tells_printed_) output_.HoldErrorsToo();
    if (error.empty()) Write("{\"driver\": " + Quoted(compiler_.Description()) + "}");
    return error;
  }

  void Run(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '\t');) fields.push_back(field);
    if (fields.size() < 2) return;
    if (fields[0] == "set") {
      setenv(fields[1].c_str(), fields.size() > 2 ? fields[2].c_str() : "", 1);
      return;
    }
    const std::string number = fields[0];
    Write("{\"start\": " + number + "}");
    Program program;
    const std::string error = compiler_.Read({fields.begin() + 1, fields.end()}, program);
    if (!error.empty()) {
      Write("{\"program\": " + number + ", \"mode\": \"none\", \"error\": " + Quoted(error) + "}");
    } else {
      if (program.size() > 1) Compile(number, "linked", program, program);
      for (const auto& [stage, text] : program) {
        if (program.size() > 1 && !compiler_.StandsAlone(stage)) continue;
        Compile(number, "alone", {{stage, text}}, program);
      }
    }
    Write("{\"done\": " + number + "}");
  }

 private:
  void Write(const std::string& line) {
    std::fputs((line + "\n").c_str(), results_);
    std::fflush(results_);
  }

  // Compiles in the first kind of context that accepts the program. If all fail, reports the first one's error.
  void Compile(const std::string& number, const std::string& mode, const Program& program, const Program& whole) {
    std::optional<Outcome> first;
    Api first_api = Api::kCore;
    for (const Api api : compiler_.ApisFor(whole)) {
      output_.Take();
      std::optional<Outcome> outcome = compiler_.Compile(program, api, mode == "alone");
      if (!outcome.has_value()) continue;
      if (outcome->error.empty()) {
        const std::string output = output_.Take();
        Report(number, mode, program, api, *outcome, output);
        if (!nir_.empty()) WriteNir(number + "." + mode, output);
        return;
      }
      if (!first.has_value()) {
        first = std::move(outcome);
        first_api = api;
      }
    }
    if (!first.has_value()) first = Outcome{"the driver supports no context for this version", {}};
    Report(number, mode, program, first_api, *first, "");
  }

  void Report(const std::string& number, const std::string& mode, const Program& program, Api api,
              const Outcome& outcome, const std::string& output) {
    const auto name_of = [](const auto& part) { return Quoted(NameOf(part.first)); };
    Write("{\"program\": " + number + ", \"mode\": " + Quoted(mode) + ", \"api\": " + Quoted(NameOf(api)) +
          ", \"stages\": " + List(program, name_of) + ", \"messages\": " + List(outcome.messages, Quoted) +
          ", \"error\": " + Quoted(outcome.error) + ", \"applied\": " +
          List(AppliedRules(output),
               [](const auto& one) { return Quoted(one.first + " " + std::to_string(one.second)); }) +
          (tells_printed_ ? ", \"printed\": " + Quoted(output.substr(0, kMostPrinted)) : "") + "}");
  }

  void WriteNir(const std::string& name, const std::string& output) {
    for (const Place& place : places_) {
      for (const auto& [stage, text] : FindStates(output, place)) {
        const std::string folder = nir_ + "/" + place.name;
        mkdir(folder.c_str(), 0777);
        std::ofstream(folder + "/" + name + "." + stage + ".nir", std::ios::binary) << text;
      }
    }
  }

  std::FILE* results_ = nullptr;
  std::string nir_;
  bool tells_printed_ = false;
  std::vector<Place> places_;
  StandardOutput output_;
  Compiler& compiler_;
};

}  // namespace

int Serve(Compiler& compiler) {
  Session session(compiler);
  const std::string error = session.Open();
  if (!error.empty()) {
    std::cerr << "runner: " << error << "\n";
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) session.Run(line);
  // Exit without running destructors, because drivers may crash during cleanup.
  std::_Exit(0);
}

}  // namespace driver_rig
