#include "corpus/glsl/include_expander.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

namespace fs = std::filesystem;

std::string Expanded(const std::map<std::string, std::string>& files, absl::string_view text,
                     SourceLanguage language = SourceLanguage::kGlsl) {
  const auto find = [&](absl::string_view name, absl::string_view) -> absl::StatusOr<IncludedFile> {
    const auto found = files.find(std::string(name));
    if (found == files.end()) return absl::NotFoundError(absl::StrCat("no ", name));
    return IncludedFile{found->first, found->second};
  };
  const absl::StatusOr<std::string> expanded = ExpandIncludes(text, "main", language, find);
  return expanded.ok() ? *expanded : std::string(expanded.status().message());
}

TEST(IncludeExpander, PutsFilesInPlaceOfTheirNames) {
  EXPECT_EQ(Expanded({{"a", "float a;"}}, "x\n#include \"a\"\ny\n", SourceLanguage::kHlsl),
            "x\n#line 1 \"a\"\nfloat a;\n#line 3 \"\"\ny\n");
  EXPECT_EQ(Expanded({{"a/b.glsl", "# include <c>\nb\n"}, {"c", "c"}}, "#version 450\n#include <a/b.glsl>"),
            "#version 450\n#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 2 \"\"\n"
            "#line 1 \"a/b.glsl\"\n#line 1 \"c\"\nc\n#line 2 \"a/b.glsl\"\nb\n\n#line 3 \"\"\n");
  EXPECT_EQ(Expanded({{"v", "#version 450"}}, "#include \"v\"\nx"),
            "#line 1 \"v\"\n#version 450\n#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 2 \"v\"\n\n"
            "#line 2 \"\"\nx");
  EXPECT_EQ(Expanded({{"a", "A"}}, "#include \"a\"\n"),
            "#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 1 \"\"\n#line 1 \"a\"\nA\n#line 2 \"\"\n");
  EXPECT_TRUE(absl::StrContains(Expanded({}, "#extension GL_ARB_shading_language_include : require\n#include \"a\"\n"),
                                "\n#error no a\n#line 3 \"\"\n"));
}

TEST(IncludeExpander, LeavesOtherTextAlone) {
  for (const char* text : {"void main() {}", "// #include \"a\"\n", "/*\n#include \"a\"\n*/", "#includes \"a\"\n",
                           "#include a\n", "#include \"a\n", "#extension GL_GOOGLE_include_directive : enable\n"}) {
    EXPECT_EQ(Expanded({{"a", "float a;"}}, text), text);
  }
}

TEST(IncludeExpander, EndsWhereFilesIncludeThemselves) {
  const std::string expanded = Expanded({{"a", "A\n#include \"b\"\n"}, {"b", "B\n#include \"a\"\n#include \"b\"\n"}},
                                        "#include \"a\"\n#include \"b\"\n");
  EXPECT_EQ(std::count(expanded.begin(), expanded.end(), 'A'), 2);  // once in "a", once in the "b" of the main file
  EXPECT_EQ(std::count(expanded.begin(), expanded.end(), 'B'), 2);
  const std::string once = Expanded({{"a", "#pragma once\nA\n"}}, "#include \"a\"\n#include \"a\"\n");
  EXPECT_EQ(std::count(once.begin(), once.end(), 'A'), 1);
}

TEST(IncludeExpander, StopsAtTheLimits) {
  std::map<std::string, std::string> files;  // each file includes the next one twice
  for (int i = 0; i < 30; ++i) {
    files[absl::StrCat(i)] = absl::StrCat("#include \"", i + 1, "\"\n#include \"", i + 1, "\"\n");
  }
  EXPECT_TRUE(absl::StrContains(Expanded(files, "#include \"0\"\n"), "more than 1000 included files"));
  for (int i = 0; i < 100; ++i) files[absl::StrCat(i)] = absl::StrCat("#include \"", i + 1, "\"\n");
  EXPECT_TRUE(absl::StrContains(Expanded(files, "#include \"0\"\n"), "more than 32 levels of nesting"));
  files["0"] = std::string(1 << 20, 'x');
  EXPECT_TRUE(absl::StrContains(Expanded(files, "#include \"0\"\n#include \"0\"\n#include \"0\"\n#include \"0\"\n"),
                                "more than 4194304 bytes"));
}

TEST(IncludeExpander, ReadsOnlyBelowTheFolders) {
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / "include";
  const auto write = [&](const char* name) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << name;
  };
  for (const char* name : {"root/a/own", "root/shared", "root/a/deep/x", "more/extra", "secret"}) write(name);
  std::error_code ignored;
  fs::create_symlink(folder / "secret", folder / "root/link", ignored);
  const IncludeFinder find = FindInFolders({(folder / "root").string(), (folder / "more").string()});
  const std::string includer = (folder / "root/a/main.frag").string();
  const auto text = [&](absl::string_view name) {
    const auto file = find(name, includer);
    return file.ok() ? file->text : std::string(file.status().message());
  };
  EXPECT_EQ(text("own"), "root/a/own");
  EXPECT_EQ(text("./deep/x"), "root/a/deep/x");
  EXPECT_EQ(text("../shared"), "root/shared");
  EXPECT_EQ(text("shared"), "root/shared");
  EXPECT_EQ(text("/a/own"), "root/a/own");
  EXPECT_EQ(text("deep\\x"), "root/a/deep/x");
  EXPECT_EQ(text("extra"), "more/extra");
  for (const std::string& name : {std::string("../../secret"), std::string("link"), std::string("nowhere"),
                                  std::string("deep"), (folder / "secret").string(), std::string("/etc/passwd")}) {
    EXPECT_TRUE(absl::StartsWith(text(name), "cannot find ")) << name;
  }
}

}  // namespace
}  // namespace rewrought::corpus
