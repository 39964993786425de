"""Tests the page of a comparison: its contents, its links, and that it loads and runs nothing. Also tests the
plots' shapes."""
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import compare  # noqa: E402
import compare_page  # noqa: E402
import plots  # noqa: E402
import results  # noqa: E402
import rig  # noqa: E402

DRIVERS = rig.load_drivers()
SVG = "{http://www.w3.org/2000/svg}"


def shader(program, numbers, driver="ir3-a630", **more):
    return {"driver": driver, "program": program, "hash": "0", "mode": "alone", "file": program, "stage": "fragment",
            "variant": "", "numbers": numbers, **more}


class Reader(html.parser.HTMLParser):
    """Parses a page; fails if a closing tag does not match, or if an element is not closed."""

    VOID = ("meta", "br")

    def __init__(self, page):
        super().__init__()
        self.open, self.links, self.ids, self.tags, self.rows = [], [], set(), set(), []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        assert not any(name.startswith("on") for name in attributes), attributes
        assert "src" not in attributes and "style" not in attributes, attributes
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes
            self.ids.add(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, text):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += text


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "page.html")

    def page(self, *files, folders=()):
        """Returns the page's text, and the parsed page."""
        paths = []
        for name, lines in zip("abcd", files):
            paths.append(os.path.join(self.folder, name + ".jsonl"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write("".join(results.json.dumps(line) + "\n" for line in [{"build": "build-" + name}] + lines))
        page = compare_page.page(compare.document(paths, DRIVERS), self.path, folders)
        page.encode()
        return page, Reader(page)

    def test_summary(self):
        before = [shader(f"s/{index}", {"inst": 1000, "full": 4, "spills": 0}) for index in range(4)]
        after = [shader(f"s/{index}", {"inst": inst, "full": 4, "spills": 0}) for index, inst in
                 enumerate((900, 980, 990, 1010))]
        # Changes -100, -20, -10 and +10: mean -30, deviation 48.305, t 3.1824, half width 76.86; the percentages are a
        # tenth of these.
        page, read = self.page(before, after)
        self.assertIn(["ir3-a630 alone", "4 shared, LOST 0, GAINED 0"], read.rows)
        row = ["instructions", "4\u202f000", "3\u202f880", "-3.00%", "3", "1", "-10.69 to +4.69% inconclusive"]
        self.assertEqual(read.rows.count(row), 2)  # in the summary, and among the changed numbers
        self.assertNotIn("full", [row[0] for row in read.rows])  # full did not change
        self.assertIn("build-a", page)
        hurt = next(row for row in read.rows if row[0] == "s/3fragment")
        self.assertEqual(hurt[1], "1\u202f000 → 1\u202f010+1.00%")
        self.assertIn("unchanged: spills 0", hurt[-1])
        self.assertIn("1 <b class=\"bad\">HURT</b>, by instructions", page)
        self.assertNotIn("time = ", page)
        page, _ = self.page(*([shader("s/a", {"inst": inst, "sstall": 1, "systall": 0})] for inst in (10, 9)))
        self.assertIn("time = inst + sstall + systall", page)
        self.assertIn("1 <b class=\"good\">helped</b>, by time", page)

    def test_which_way_is_better(self):
        page, read = self.page([shader("s/a", {"waves": 4})], [shader("s/a", {"waves": 8})])
        self.assertIn('<span class="good">+100.00%</span>', page)
        self.assertIn(["waves", "4", "8", "+100.00%", "1", "0", "–"], read.rows)
        page, _ = self.page([shader("s/a", {"inst": 0})], [shader("s/a", {"inst": 8})])
        self.assertIn('<span class="bad">from 0</span>', page)

    def test_three_files(self):
        files = [[shader("s/a", {"inst": inst}), shader("s/b", {"inst": 10})] for inst in (10, 9, 8)]
        files[2].pop()
        page, read = self.page(*files)
        # c has different shaders, so its total starts from a different number.
        self.assertIn(["instructions", "20", "19", "-5.00%", "1", "0", "–", "8 from 10", "-20.00%", "1", "0", "–"], read.rows)
        self.assertIn(["ir3-a630 alone", "2 shared, LOST 0, GAINED 0", "1 shared, LOST 1, GAINED 0"], read.rows)
        self.assertIn(["inst", "1", "0", "0", "0", "0", "0"], [["inst"] + row[1:] for row in read.rows if len(row) == 7])
        # b and c keep their colors in the comparison of c with b.
        curves = [re.findall(r'class="(s\d) curve"', part) for part in page.split("<h2>")[1:]]
        self.assertEqual(curves, [["s0", "s1"], ["s1"]])
        self.assertIn("b.jsonl → ", page)
        anchors = [link[1:] for link in read.links if link.startswith("#")]
        self.assertEqual(len(anchors), 2)
        self.assertLessEqual(set(anchors), read.ids)

    def test_a_driver_that_one_file_lacks(self):
        both = [shader("s/a", {"inst": 10}), shader("s/a", {"inst": 10}, driver="v3d-42")]
        page, read = self.page(both, [shader("s/a", {"inst": 9})], [shader("s/a", {"inst": 9}, driver="v3d-42")])
        self.assertIn(["ir3-a630 alone", "1 shared, LOST 0, GAINED 0", "not compared"], read.rows)
        self.assertIn("The files have no driver in common.", page)
        self.assertIn("only in ", page)

    def test_hostile_names(self):
        wild = "<script>alert(1)</script>/\"'&amp;\x1b\u202e\ud800 onload=x"
        hang = {"driver": "ir3-a630", "program": wild + "2", "hash": "0", "mode": "none", "problem": "hang"}
        lines = [shader(wild, {wild: 5, "inst": 1}, variant=wild, mode=wild), shader(wild + "2", {"inst": 1})]
        page, read = self.page(lines, [shader(wild, {wild: 6, "inst": 2}, variant=wild, mode=wild), hang])
        self.assertNotIn("script", read.tags)
        self.assertNotIn("\x1b", page)
        self.assertNotIn("\u202e", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertIn("<b>hang</b>", page)

    def test_loads_nothing(self):
        page, read = self.page([shader("s/a", {"inst": 2})], [shader("s/a", {"inst": 1})])
        self.assertIn("default-src 'none'; style-src 'unsafe-inline'", page)
        self.assertFalse(read.tags & {"script", "link", "img", "iframe", "object", "form", "base"})
        self.assertNotRegex(page, r"https?://|url\(|@import|javascript:")

    def test_links_to_files_that_are_there(self):
        corpus = os.path.join(self.folder, "deep", "s")
        os.makedirs(corpus)
        for name in ("a b.frag", "javascript:alert(1)"):
            with open(os.path.join(corpus, name), "w"):
                pass
        files = [[shader("s/" + name, {"inst": inst}) for name in ("a b.frag", "none.frag", "javascript:alert(1)",
                                                                  "zero\0")] for inst in (10, 9)]
        _, read = self.page(*files, folders=[corpus])
        links = [link for link in read.links if not link.startswith("#")]
        self.assertEqual(sorted(links), ["deep/s/a%20b.frag", "deep/s/javascript%3Aalert%281%29"])
        _, read = self.page(*files)
        self.assertEqual([link for link in read.links if not link.startswith("#")], [])

    def test_tables_are_capped_and_say_so(self):
        before = [shader(f"s/{index:04}", {"inst": 10000}) for index in range(3000)]
        after = [shader(f"s/{index:04}", {"inst": 9999 - index}) for index in range(2900)]
        page, read = self.page(before, after)
        self.assertTrue('2&#8239;900 <b class="good">helped</b>, by instructions: <span class="muted">the 25 most' in page)
        rows = [row[0] for row in read.rows if row[0].endswith("fragment")]
        self.assertEqual(rows, [f"s/{index:04}fragment" for index in range(2899, 2874, -1)])
        self.assertTrue("LOST: 100, the first 50" in page)
        self.assertEqual(page.count("<li>"), 50)
        self.assertLess(len(page), 100000)

    def test_written_whole_or_not_at_all(self):
        self.page([shader("s/a", {"inst": 2})], [shader("s/a", {"inst": 1})])
        paths = [os.path.join(self.folder, name + ".jsonl") for name in "ab"]
        command = [sys.executable, os.path.join(FOLDER, "run"), "--compare", *paths, "--html", self.path]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
        with open(self.path, encoding="utf-8") as file:
            page = file.read()
        Reader(page)
        self.assertNotIn("page.html.new", os.listdir(self.folder))
        with open(paths[1], "a") as file:
            file.write("nothing\n")
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 1)
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page)


class PlotTest(unittest.TestCase):
    def read(self, drawing):
        return xml.etree.ElementTree.fromstring(drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))

    def of(self, drawing, tag, name):
        return [one for one in self.read(drawing).iter(SVG + tag) if name in one.get("class", "").split()]

    def points(self, path):
        return [tuple(map(float, point.split())) for point in re.split("[ML]", path.get("d"))[1:]]

    def test_rank(self):
        curve, = self.of(plots.by_rank("t", [[-10.0, -1.0, 5.0]], False), "path", "curve")
        points = self.points(curve)
        self.assertEqual([point[0] for point in points], sorted(point[0] for point in points))
        self.assertEqual((points[0][0], points[-1][0]), (plots.LEFT, plots.WIDTH - plots.RIGHT))
        # The smallest change is at the bottom and the largest at the top; the axis is at 0.
        self.assertEqual((points[0][1], points[2][1]), (plots.HEIGHT - plots.BOTTOM, plots.TOP))
        zero = float(self.of(plots.by_rank("t", [[-10.0, -1.0, 5.0]], False), "line", "axis")[0].get("y1"))
        self.assertTrue(points[2][1] < zero < points[1][1] < points[0][1])
        words = [one.text for one in self.read(plots.by_rank("t", [[-10.0, 5.0]], False)).iter(SVG + "text")]
        self.assertLess(words.index("helped"), words.index("HURT"))  # the first label is at the bottom

    def test_rank_of_thousands(self):
        drawing = plots.by_rank("t", [[index / 1000 - 50 for index in range(100000)], []], False)
        curve, = self.of(drawing, "path", "curve")
        points = self.points(curve)
        self.assertLess(len(points), plots.WIDTH + 2)
        self.assertEqual((points[0][1], points[-1][1]), (plots.HEIGHT - plots.BOTTOM, plots.TOP))

    def test_rank_of_extremes(self):
        for changes in ([], [0.001], [-100.0], [1e9], [-0.004, 0.004]):
            for one in self.read(plots.by_rank("t", [changes], True)).iter(SVG + "text"):
                self.assertTrue(0 <= float(one.get("y")) <= plots.HEIGHT)

    def test_sources(self):
        drawing = plots.per_source("t", [("godot", [-2.0, -1.0]), ("<kodi>", [1.0, None])])
        bars = self.of(drawing, "rect", "bar")
        widths = [float(bar.get("width")) for bar in bars]
        self.assertEqual(len(bars), 3)
        self.assertAlmostEqual(widths[0], 2 * widths[1], delta=0.2)
        self.assertAlmostEqual(widths[1], widths[2], delta=0.2)
        zero = float(self.of(drawing, "line", "axis")[0].get("x1"))
        self.assertAlmostEqual(float(bars[0].get("x")) + widths[0], zero, delta=0.2)
        self.assertAlmostEqual(float(bars[2].get("x")), zero, delta=0.2)
        words = [one.text for one in self.read(drawing).iter(SVG + "text")]
        self.assertEqual(words, ["godot", "-2.00%", "-1.00%", "<kodi>", "+1.00%"])
        for one in self.read(drawing).iter(SVG + "text"):
            self.assertTrue(0 < float(one.get("x")) < plots.WIDTH)
        self.read(plots.per_source("t", []))
        self.read(plots.per_source("t", [("a", [None]), ("b", [0.0])]))
        many = plots.per_source("t", [(str(index), [1.0]) for index in range(100)])
        names = [one.text for one in self.read(many).iter(SVG + "title")][1:]
        self.assertEqual(names, [str(index) for index in (*range(8), *range(92, 100))])  # the best and the worst

    def test_before_and_after(self):
        drawing = plots.before_after("t", [[(10, 10), (1000, 100), (1000, 100)]])
        dots, = self.of(drawing, "path", "dots")
        places = [tuple(map(float, point.split())) for point in dots.get("d").replace("h0", "").split("M")[1:]]
        self.assertEqual(len(places), 2)  # equal pixels are drawn once
        self.assertEqual(places[0], (plots.LEFT, plots.HEIGHT - plots.BOTTOM))
        self.assertEqual(places[1][0], plots.WIDTH - plots.RIGHT)
        self.assertAlmostEqual(places[1][1], (plots.TOP + plots.HEIGHT - plots.BOTTOM) / 2, delta=0.5)
        for pairs in ([], [(1, 1)], [(0.25, 8e15)]):
            self.read(plots.before_after("t", [pairs]))


if __name__ == "__main__":
    unittest.main()
