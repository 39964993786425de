#include "emitter/c/table_text.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rewrought::emitter {
namespace {

constexpr char kLicence[] = "/* SPDX-License-Identifier: MIT */\n";

// Prints a field as C text. Masks and immediates are wide unsigned numbers; other fields are plain numbers.
std::string Print(const std::string& value) {
  // "??" would start a trigraph in C11.
  return absl::StrCat("\"", absl::StrJoin(absl::StrSplit(absl::CEscape(value), "??"), "?\\?"), "\"");
}
std::string Print(double value) {
  const std::string text = absl::StrFormat("%.17g", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}
std::string Print(uint64_t value) { return absl::StrCat("UINT64_C(0x", absl::Hex(value), ")"); }
template <typename T>
std::string Print(T value) {
  return absl::StrCat(static_cast<uint32_t>(value));
}
template <typename T, size_t N>
std::string Print(const T (&values)[N]) {
  return absl::StrCat("{", absl::StrJoin(values, ", ", [](std::string* text, T value) { *text += Print(value); }), "}");
}

// Returns the text of a comment on a row: its name, an instruction's name, or a source's modifiers and type. Tables
// from a file may contain invalid indices.
template <typename Row>
std::string NameAt(const CTables& t, const std::vector<Row>& rows, size_t index) {
  return index < rows.size() && rows[index].name < t.names.size() ? t.names[rows[index].name] : "?";
}
std::string WordsOf(const CTables& t, const rw_shape& shape) {
  std::string words;
  for (int m = 0; m < std::min<int>(shape.modifier_count, RW_MODIFIERS); ++m) {
    absl::StrAppend(&words, NameAt(t, t.modifiers, shape.modifiers[m]), " ");
  }
  return words + NameAt(t, t.types, shape.type);
}
std::string WordsOf(const CTables& t, const rw_word& word) {
  std::string words = NameAt(t, t.forms, word.form);
  if (word.choice != RW_NONE8 && word.form < t.forms.size() && t.forms[word.form].selector < t.selectors.size()) {
    const rw_selector& selector = t.selectors[t.forms[word.form].selector];
    absl::StrAppend(&words, " .", NameAt(t, t.choices, size_t{selector.first_choice} + word.choice));
  }
  for (const uint8_t modifier : word.destination_modifiers) {
    if (modifier != RW_NONE8) absl::StrAppend(&words, " ", NameAt(t, t.modifiers, modifier));
  }
  return absl::StrCat(words, " ", NameAt(t, t.types, word.type));
}

template <typename Row>
std::string NoteOf(const CTables& t, const Row& row) {
  std::string note;
  if constexpr (std::is_same_v<Row, rw_shape> || std::is_same_v<Row, rw_word>) {
    note = WordsOf(t, row);
  } else if constexpr (std::is_same_v<Row, rw_code>) {
    if (row.word < t.words.size()) note = WordsOf(t, t.words[row.word]);
  } else if constexpr (std::is_same_v<Row, rw_operand>) {
    if (row.shape < t.shapes.size()) note = WordsOf(t, t.shapes[row.shape]);
  } else if constexpr (requires { row.name; }) {
    if (row.name < t.names.size()) note = t.names[row.name];
  }
  return note.empty() ? "" : absl::StrCat("  // ", absl::CEscape(note));
}

template <typename Row>
std::string PrintRow(const CTables& t, const Row& row) {
  std::vector<std::string> fields;
  VisitFields(row, [&](const auto&... field) { (fields.push_back(Print(field)), ...); });
  constexpr bool is_struct = std::is_class_v<Row> && !std::is_same_v<Row, std::string>;
  const std::string text = absl::StrJoin(fields, ", ");
  return is_struct ? absl::StrCat("    {", text, "},", NoteOf(t, row), "\n") : absl::StrCat("    ", text, ",\n");
}

// Returns whether the table is a separate C array rather than part of the final object.
bool IsOwnTable(absl::string_view name) { return name != "features"; }

constexpr size_t kFeatures = 2;

std::vector<uint16_t> CountsOf(const CTables& t) {
  return {static_cast<uint16_t>(t.ops.size()), static_cast<uint16_t>(t.results.size())};
}

// Parses the tokens of tables.c.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<CTables> Read() {
    CTables tables;
    VisitTables(tables, [&](const char* name, const char* type, auto& rows) {
      if (status_.ok() && IsOwnTable(name)) ReadTable(name, type, &rows);
    });
    if (status_.ok()) ReadObject(&tables);
    if (!status_.ok()) return status_;
    return tables;
  }

 private:
  void Fail(absl::string_view what) {
    if (status_.ok()) status_ = absl::DataLossError(absl::StrCat("line ", line_, ": ", what));
  }

  void Skip() {
    while (!text_.empty()) {
      if (absl::ascii_isspace(static_cast<unsigned char>(text_[0]))) {
        line_ += text_[0] == '\n';
        text_.remove_prefix(1);
      } else if (absl::StartsWith(text_, "//") || text_[0] == '#') {
        text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
      } else if (absl::StartsWith(text_, "/*") && text_.find("*/") != absl::string_view::npos) {
        text_.remove_prefix(text_.find("*/") + 2);
      } else {
        return;
      }
    }
  }

  // Returns the next token: a word, a number, a quoted string, or another single character. Returns an empty token at
  // the end.
  absl::string_view Next() {
    Skip();
    size_t length = text_.empty() ? 0 : 1;
    if (!text_.empty() && text_[0] == '"') {
      while (length < text_.size() && text_[length] != '"' && text_[length] != '\n') {
        length += text_[length] == '\\' ? 2 : 1;
      }
      length = std::min(length + 1, text_.size());
    } else {
      const auto is_word = [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '+' || c == '-';
      };
      while (length > 0 && is_word(text_[0]) && length < text_.size() && is_word(text_[length])) ++length;
    }
    const absl::string_view token = text_.substr(0, length);
    text_.remove_prefix(length);
    return token;
  }

  absl::string_view Peek() {
    Skip();
    const absl::string_view before = text_;
    const absl::string_view token = Next();
    text_ = before;
    return token;
  }

  void Expect(absl::string_view wanted) {
    if (!status_.ok()) return;
    if (const absl::string_view token = Next(); token != wanted) {
      Fail(token.empty() ? absl::StrCat("the file ends before '", wanted, "'")
                         : absl::StrCat("'", absl::CEscape(token), "' appears where '", wanted, "' is expected"));
    }
  }

  void ExpectWords(absl::string_view words) {
    for (const absl::string_view word : absl::StrSplit(words, ' ')) Expect(word);
  }

  void Take(std::string* value) {
    const absl::string_view token = Next();
    const bool is_quoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
    if (!is_quoted || !absl::CUnescape(token.substr(1, token.size() - 2), value)) {
      Fail("expected a quoted string");
    }
  }
  void Take(double* value) {
    if (!absl::SimpleAtod(Next(), value)) Fail("expected a number");
  }
  void Take(uint64_t* value) {
    ExpectWords("UINT64_C (");
    if (!absl::SimpleHexAtoi(Next(), value)) Fail("expected a number");
    Expect(")");
  }
  template <typename T>
  void Take(T* value) {
    uint32_t number = 0;
    if (!absl::SimpleAtoi(Next(), &number) || number > std::numeric_limits<T>::max()) {
      Fail("expected a number that fits its field");
    }
    *value = static_cast<T>(number);
  }
  template <typename T, size_t N>
  void Take(T (*values)[N]) {
    Expect("{");
    for (size_t i = 0; i < N; ++i) {
      if (i > 0) Expect(",");
      Take(&(*values)[i]);
    }
    Expect("}");
  }

  template <typename Row>
  void ReadRow(Row* row) {
    bool is_first = true;
    const auto take = [&](auto* field) {
      if (!is_first) Expect(",");
      is_first = false;
      if (status_.ok()) Take(field);
    };
    VisitFields(*row, [&](auto&... field) { (take(&field), ...); });
  }

  template <typename Row>
  void ReadTable(absl::string_view name, absl::string_view type, std::vector<Row>* rows) {
    constexpr bool is_struct = std::is_class_v<Row> && !std::is_same_v<Row, std::string>;
    uint32_t count = 0;
    ExpectWords("static const");
    if (absl::StartsWith(type, "char")) {
      ExpectWords("char * const");
    } else {
      Expect(type);
    }
    Expect(name);
    Expect("[");
    if (status_.ok()) Take(&count);
    Expect("]");
    // C has no empty initializers, so an empty table is declared without an initializer.
    if (status_.ok() && Peek() == ";") return Expect(";");
    ExpectWords("= {");
    while (status_.ok() && Peek() != "}") {
      Row row = {};
      if (is_struct) Expect("{");
      ReadRow(&row);
      if (is_struct) Expect("}");
      Expect(",");
      rows->push_back(std::move(row));
    }
    ExpectWords("} ;");
    if (status_.ok() && rows->size() != count) {
      Fail(absl::StrCat("table '", name, "' has ", rows->size(), " rows, but declares ", count));
    }
  }

  template <typename T>
  void TakeAll(size_t count, std::vector<T>* values) {
    values->resize(count);
    for (T& value : *values) {
      Take(&value);
      Expect(",");
    }
  }

  void ReadObject(CTables* tables) {
    ExpectWords("const rw_tables");
    if (const absl::string_view symbol = Next(); !absl::StartsWith(symbol, "rewrought_"))
      Fail("the name of the tables must start with rewrought_");
    ExpectWords("= {");
    if (status_.ok()) Take(&tables->machine);
    Expect(",");
    if (status_.ok()) Take(&tables->pack);
    Expect(",");
    VisitTables(*tables, [&](const char* name, const char*, auto&) {
      if (!IsOwnTable(name)) return;
      Expect(name);
      Expect(",");
    });
    TakeAll(kFeatures, &tables->features);
    std::vector<uint16_t> counts;
    TakeAll(2, &counts);
    if (status_.ok() && counts != CountsOf(*tables)) Fail("the counts do not match the tables");
    const absl::string_view has_uniforms = Next();
    if (has_uniforms != "true" && has_uniforms != "false") Fail("expected true or false");
    tables->has_uniforms = has_uniforms == "true";
    ExpectWords(", } ;");
    if (status_.ok() && !Next().empty()) Fail("unexpected text after the tables");
  }

  absl::string_view text_;
  int line_ = 1;
  absl::Status status_;
};

}  // namespace

std::string SymbolOf(const CTables& tables) { return absl::StrCat("rewrought_", tables.machine); }

std::string PrintTableSource(const CTables& t) {
  std::string text = absl::StrCat(kLicence, "// Rules for ", t.machine, " as tables for select.c. Pack ", t.pack,
                                  ";\n// proofs and figures are in pack.json beside this file. Written by `rewrought "
                                  "export --format c`.\n#include \"tables.h\"\n");
  VisitTables(t, [&](const char* name, const char* type, const auto& rows) {
    if (!IsOwnTable(name)) return;
    absl::StrAppend(&text, "\nstatic const ", type, " ", name, "[", std::max<size_t>(1, rows.size()), "]",
                    rows.empty() ? ";\n" : " = {\n");
    for (const auto& row : rows) text += PrintRow(t, row);
    if (!rows.empty()) text += "};\n";
  });
  absl::StrAppend(&text, "\nconst rw_tables ", SymbolOf(t), " = {\n    ", Print(t.machine), ", ", Print(t.pack), ",\n");
  VisitTables(t, [&](const char* name, const char*, const auto&) {
    if (IsOwnTable(name)) absl::StrAppend(&text, "    ", name, ",\n");
  });
  for (const uint64_t mask : t.features) absl::StrAppend(&text, "    ", Print(mask), ",\n");
  absl::StrAppend(&text, "    ");
  for (const uint16_t count : CountsOf(t)) absl::StrAppend(&text, Print(count), ", ");
  return absl::StrCat(text, t.has_uniforms ? "true" : "false", ",\n};\n");
}

std::string PrintTableHeader(const CTables& t) {
  const CTableBytes bytes = BytesOf(t);
  return absl::StrCat(kLicence, "// Rules for ", t.machine, " as tables: ", t.rules.size(), " rules in ", bytes.all,
                      " bytes, of which names take ", bytes.names,
                      ".\n#ifndef REWROUGHT_TABLES_H_\n#define REWROUGHT_TABLES_H_\n\n#include \"select.h\"\n\n#ifdef "
                      "__cplusplus\nextern \"C\" {\n#endif\n\nextern const rw_tables ",
                      SymbolOf(t), ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif  // REWROUGHT_TABLES_H_\n");
}

std::string PrintRuleRows(const CTables& t, size_t index) {
  const rw_rule& rule = t.rules[index];
  std::string patterns, conditions, steps, code, words, operands;
  const size_t end = index + 1 < t.rules.size() ? t.rules[index + 1].first_pattern : t.patterns.size();
  for (size_t p = rule.first_pattern; p < end; ++p) {
    patterns += PrintRow(t, t.patterns[p]);
    for (size_t c = 0; c < t.patterns[p].condition_count; ++c) {
      const rw_condition& condition = t.conditions[t.patterns[p].first_condition + c];
      conditions += PrintRow(t, condition);
      for (size_t s = 0; s < condition.step_count; ++s) steps += PrintRow(t, t.steps[condition.first_step + s]);
    }
  }
  for (size_t c = rule.first_code; c < size_t{rule.first_code} + rule.code_count; ++c) {
    const rw_word& word = t.words[t.code[c].word];
    code += PrintRow(t, t.code[c]), words += PrintRow(t, word);
    const size_t sources = t.forms[word.form].source_count;
    for (size_t o = 0; o <= sources; ++o) operands += PrintRow(t, t.operands[t.code[c].first_operand + o]);
  }
  return absl::StrCat("rule\n", PrintRow(t, rule), "patterns\n", patterns, conditions.empty() ? "" : "conditions\n",
                      conditions, steps.empty() ? "" : "steps\n", steps, "code\n", code, "words\n", words, "operands\n",
                      operands);
}

absl::StatusOr<CTables> ReadTableSource(absl::string_view text) { return Reader(text).Read(); }

}  // namespace rewrought::emitter
