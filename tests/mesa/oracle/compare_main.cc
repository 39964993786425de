// Compares the row of every op with Mesa's constant evaluator (built by build.sh) on many values, and checks the
// differences against a table of known differences. Uses the rows of the dialect that matches VERSION.
// usage: compare_main LIBRARY VERSION DIFFERENCES [VALUES]    (VALUES per op, over all its sizes)
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/batch.h"
#include "ir/dialect/choices.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "tests/mesa/oracle/mesa_evaluator.h"

namespace rewrought {
namespace {

constexpr size_t kLanes = 4096;

struct Difference {
  size_t lanes = 0;
  std::string example;
};

struct Tally {
  size_t compared = 0, ops = 0, undefined = 0, trapped = 0;
  std::vector<std::string> absent, other_size;
  std::map<std::string, Difference> differences;  // by op@size
};

class OpComparison {
 public:
  OpComparison(const Mesa& mesa, ir::Dialect dialect, const ir::OpRow& row, int size)
      : mesa_(mesa), dialect_(dialect), row_(row), size_(size) {}

  // Prepares the comparison of the op. Returns false if Mesa does not have this op at this size.
  bool Prepare(Tally* tally) {
    op_ = mesa_.find(row_.name.c_str());
    if (op_ < 0) {
      tally->absent.push_back(row_.name);
      return false;
    }
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = &row_;
    node.bits = static_cast<uint8_t>(row_.result.bits != 0 ? row_.result.bits : size_);
    node.components = std::max<uint8_t>(1, row_.result.components);
    free_bits_ = mesa_.result_bits(op_) == 0 ? node.bits : 32;
    bool fits = mesa_.result_bits(op_) == 0 || mesa_.result_bits(op_) == node.bits;
    for (size_t k = 0; k < row_.sources.size(); ++k) {
      ir::Node variable;
      variable.name = absl::StrCat("s", std::string(1, static_cast<char>('a' + k)));
      variable.bits = static_cast<uint8_t>(row_.sources[k].bits != 0 ? row_.sources[k].bits : size_);
      variable.components = std::max<uint8_t>(1, row_.sources[k].components);
      const int fixed = mesa_.source_bits(op_, static_cast<int>(k));
      fits = fits && (fixed == 0 || fixed == variable.bits);
      if (fixed == 0) free_bits_ = variable.bits;
      term_.nodes.push_back(variable);
      node.sources.push_back({static_cast<ir::NodeIndex>(k)});
    }
    if (!fits) {
      tally->other_size.push_back(Name());
      return false;
    }
    term_.root = static_cast<ir::NodeIndex>(term_.nodes.size());
    term_.nodes.push_back(node);
    absl::StatusOr<ir::ChoiceTerm> lowered =
        ir::LowerWithChoicesIn(dialect_, &dag_, term_, ir::DenormMode::kPreserve, 0);
    if (!lowered.ok()) {
      std::cerr << Name() << ": " << lowered.status().message() << "\n";
      std::exit(2);
    }
    lowered_ = *std::move(lowered);
    return true;
  }

  std::string Name() const { return size_ == 0 ? row_.name : absl::StrCat(row_.name, "@", size_); }

  void Run(size_t values, std::mt19937_64* random, Tally* tally) {
    for (size_t done = 0; done < values; done += kLanes) RunLanes(random, tally);
    ++tally->ops;
  }

 private:
  void RunLanes(std::mt19937_64* random, Tally* tally) {
    const size_t sources = row_.sources.size(), components = term_.root_node().components;
    std::vector<std::vector<uint64_t>> values(sources, std::vector<uint64_t>(kLanes * kMesaComponents));
    for (size_t k = 0; k < sources; ++k) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        for (size_t c = 0; c < term_.nodes[k].components; ++c) {
          values[k][lane * kMesaComponents + c] = DrawValue(random, row_.sources[k].base, term_.nodes[k].bits);
        }
        // Make equal sources more frequent.
        if (k > 0 && (*random)() % 8 == 0 && term_.nodes[k].bits == term_.nodes[0].bits) {
          for (size_t c = 0; c < kMesaComponents; ++c)
            values[k][lane * kMesaComponents + c] = values[0][lane * kMesaComponents + c];
        }
      }
    }
    std::vector<const uint64_t*> pointers;
    for (const auto& source : values) pointers.push_back(source.data());
    std::vector<uint64_t> theirs(kLanes * kMesaComponents);
    std::vector<unsigned char> trapped(kLanes);
    mesa_.evaluate(op_, static_cast<unsigned>(free_bits_), static_cast<unsigned>(components), 0, kLanes,
                   pointers.data(), theirs.data(), trapped.data());
    // Evaluate the row with three assignments of its choices, to see which parts are free: a zero's sign, a NaN's
    // pattern, or everything.
    std::vector<std::vector<std::vector<uint64_t>>> ours;
    for (const uint64_t choice : {uint64_t{0}, ~uint64_t{0}, uint64_t{0x5555555555555555}}) {
      if (!ours.empty() && lowered_.choices.empty()) {
        ours.push_back(ours[0]);
        continue;
      }
      ours.push_back(ir::EvaluateBatch(dag_, lowered_.lowered.root, Leaves(values, choice), kLanes));
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      bool agree = true, undefined = false;
      for (size_t c = 0; c < components; ++c) {
        const uint64_t given[] = {ours[0][c][lane], ours[1][c][lane], ours[2][c][lane]};
        agree = agree && Allows(given, theirs[lane * kMesaComponents + c], &undefined);
      }
      agree = trapped[lane] ? undefined : agree;
      ++tally->compared;
      tally->undefined += undefined;
      tally->trapped += trapped[lane];
      if (!agree) Note(values, theirs, ours, lane, tally);
    }
  }

  bool Allows(const uint64_t (&given)[3], uint64_t theirs, bool* undefined) const {
    const int bits = term_.root_node().bits;
    const uint64_t mask = ir::MaskOf(bits);
    const bool any = given[0] == 0 && given[1] == mask && given[2] == (0x5555555555555555 & mask);
    *undefined = *undefined || any;
    if (any || given[0] == theirs || given[1] == theirs) return true;
    const ir::OpRow& row = dialect_ == ir::Dialect::kNir26 ? ir::RowIn26(row_) : row_;
    const bool is_float = row.result.base == ir::BaseType::kFloat && ir::IsFloatWidth(bits);
    if (is_float && ir::IsNan(given[0], bits) && ir::IsNan(given[1], bits)) return ir::IsNan(theirs, bits);
    const ir::SmallFloat small = dialect_ == ir::Dialect::kNir26 ? ir::SmallFloatOf(row_) : ir::SmallFloat::kNone;
    return small != ir::SmallFloat::kNone && ir::IsNan(given[0], small) && ir::IsNan(theirs, small);
  }

  ir::BatchLeaves Leaves(const std::vector<std::vector<uint64_t>>& values, uint64_t choice) const {
    ir::BatchLeaves leaves;
    for (const ir::Input& input : dag_.inputs()) {
      const size_t k = static_cast<size_t>(input.name[1] - 'a');
      const size_t c = input.name.size() > 2 ? static_cast<size_t>(std::atoi(input.name.c_str() + 3)) : 0;
      std::vector<uint64_t> lanes(kLanes);
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = values[k][lane * kMesaComponents + c];
      leaves.inputs.push_back(std::move(lanes));
    }
    for (const ir::Choice& one : lowered_.choices) {
      leaves.choices.emplace_back(kLanes, choice & ir::MaskOf(one.width));
    }
    return leaves;
  }

  void Note(const std::vector<std::vector<uint64_t>>& values, const std::vector<uint64_t>& theirs,
            const std::vector<std::vector<std::vector<uint64_t>>>& ours, size_t lane, Tally* tally) const {
    Difference& difference = tally->differences[Name()];
    if (++difference.lanes > 1) return;
    std::ostringstream text;
    text << std::hex << "of";
    for (size_t k = 0; k < values.size(); ++k) {
      for (size_t c = 0; c < term_.nodes[k].components; ++c) text << " 0x" << values[k][lane * kMesaComponents + c];
    }
    text << ": Mesa";
    for (size_t c = 0; c < term_.root_node().components; ++c) text << " 0x" << theirs[lane * kMesaComponents + c];
    text << ", row";
    for (size_t c = 0; c < term_.root_node().components; ++c) text << " 0x" << ours[0][c][lane];
    difference.example = text.str();
  }

  const Mesa& mesa_;
  const ir::Dialect dialect_;
  const ir::OpRow& row_;
  const int size_;
  int op_ = -1, free_bits_ = 32;
  ir::Term term_;
  ir::Dag dag_;
  ir::ChoiceTerm lowered_;
};

std::vector<const ir::OpRow*> OpsOf(ir::Dialect dialect) {
  std::vector<const ir::OpRow*> ops = ir::AllOps();
  if (dialect == ir::Dialect::kNir25) return ops;
  std::erase_if(ops, [](const ir::OpRow* row) { return ir::FindOpIn26(row->name) != row; });
  for (const ir::OpRow& row : ir::NewIn26()) ops.push_back(&row);
  return ops;
}

// Returns whether the dialect has the op at this size. Mesa 26 has only Booleans of 1 and 32 bits.
bool HasSize(ir::Dialect dialect, const ir::OpRow& row, int size) {
  const auto is_free = [](const ir::OperandType& type) { return type.base == ir::BaseType::kBool && type.bits == 0; };
  const bool is_free_bool = is_free(row.result) || std::any_of(row.sources.begin(), row.sources.end(), is_free);
  return dialect == ir::Dialect::kNir25 || !is_free_bool || (size != 8 && size != 16);
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: compare_main LIBRARY VERSION DIFFERENCES [VALUES]\n";
    return 2;
  }
  const Mesa mesa = LoadMesa(argv[1]);
  const std::map<std::string, std::string> known = ReadKnown(argv[3], argv[2]);
  const size_t wanted = argc > 4 ? static_cast<size_t>(std::atoll(argv[4])) : 100000;
  const ir::Dialect dialect = absl::StartsWith(argv[2], "26.") ? ir::Dialect::kNir26 : ir::Dialect::kNir25;
  const ir::OpResolver find = ir::ResolverOf(dialect);
  Tally tally;
  for (const ir::OpRow* row : OpsOf(dialect)) {
    const std::vector<int> sizes = ir::FreeSizesOf(*row);
    for (const int size : sizes) {
      // Each op has its own random sequence, so that adding a row does not change other ops' vectors.
      std::seed_seq seed(row->name.begin(), row->name.end());
      std::mt19937_64 random(seed);
      if (!HasSize(dialect, *row, size)) continue;
      OpComparison comparison(mesa, dialect, *row, size);
      if (comparison.Prepare(&tally)) comparison.Run(wanted / sizes.size() + 1, &random, &tally);
    }
  }
  size_t unknown = 0;
  for (const auto& [name, difference] : tally.differences) {
    const bool is_known = known.contains(name);
    unknown += !is_known;
    std::cout << (is_known ? "known   " : "UNKNOWN ") << name << ": " << difference.lanes << " values, "
              << difference.example << "\n";
  }
  size_t stale = 0;
  for (const auto& [name, reason] : known) {
    if (tally.differences.contains(name)) continue;
    // The random values may miss rare differences of approximate functions, and differences that the list marks as
    // rare.
    const ir::OpRow* row = find(name.substr(0, name.find('@')));
    if (row != nullptr && (row->properties & ir::kApproximate) != 0) continue;
    if (reason.find("RARE: ") != std::string::npos) continue;
    ++stale;
    std::cout << "STALE   " << name << ":" << reason << "\n";
  }
  const std::set<std::string> absent(tally.absent.begin(), tally.absent.end());
  std::cout << "Mesa " << argv[2] << ": " << tally.ops << " ops and sizes, " << tally.compared << " values, of which "
            << tally.undefined << " undefined here and " << tally.trapped << " trapped there; "
            << tally.differences.size() << " differ, " << unknown << " of them unexplained; " << stale
            << " explanations without a difference\nnot in this Mesa: " << absent.size() << " ops;";
  for (const std::string& name : absent) std::cout << " " << name;
  std::cout << "\nin this Mesa, but without a row here:";
  for (int op = 0; op < mesa.count(); ++op) {
    if (find(mesa.name(op)) == nullptr) std::cout << " " << mesa.name(op);
  }
  std::cout << "\nother sizes in this Mesa:";
  for (const std::string& name : tally.other_size) std::cout << " " << name;
  std::cout << "\n";
  return unknown + stale == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }
