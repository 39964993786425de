#include "machine/select/dot.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "machine/base/base_rules.h"

namespace rewrought::machine::select {
namespace {

std::string Escaped(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\l";
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  }
  return out;
}

class Drawer {
 public:
  explicit Drawer(const Selection& selection) : s_(selection), term_(selection.scalar.shader.values) {
    std::vector<int> covers(term_.nodes.size(), 0);
    for (const Tile& tile : s_.cover.tiles) {
      ++covers[tile.root];
      for (const ir::NodeIndex inner : tile.inner) ++covers[inner];
    }
    copies_ = std::move(covers);
    for (ir::NodeIndex n = 0; n < term_.nodes.size() && drawn_.size() < kMaxDrawnNodes; ++n) {
      if (s_.scalar.uses[n] > 0 && term_.at(n).kind != ir::NodeKind::kConstant) drawn_.push_back(n);
    }
    is_drawn_.assign(term_.nodes.size(), false);
    for (const ir::NodeIndex n : drawn_) is_drawn_[n] = true;
  }

  std::string Draw() {
    absl::StrAppend(&out_, "digraph selection {\n  rankdir=BT;\n  node [fontname=\"monospace\", fontsize=10];\n");
    if (drawn_.size() == kMaxDrawnNodes)
      absl::StrAppend(&out_, "  cut [shape=note, label=\"only the first ", kMaxDrawnNodes, " values\"];\n");
    Before();
    After();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  bool IsOp(ir::NodeIndex n) const { return term_.at(n).kind == ir::NodeKind::kOp; }

  std::string LabelOf(ir::NodeIndex n) const {
    const ir::Node& node = term_.at(n);
    std::string label =
        absl::StrCat("v", n, " ", IsOp(n) ? node.op->name : s_.scalar.shader.info[n].opaque, "@", node.bits);
    for (const ir::Source& source : node.sources) {
      const ir::Node& leaf = term_.at(source.node);
      if (leaf.kind == ir::NodeKind::kConstant) absl::StrAppend(&label, " 0x", absl::Hex(ConstantBits(leaf)));
    }
    return Escaped(label);
  }

  void Before() {
    out_ += "  subgraph cluster_before { label=\"before\";\n";
    std::map<uint32_t, std::vector<ir::NodeIndex>> blocks;
    for (const ir::NodeIndex n : drawn_) blocks[s_.scalar.shader.info[n].block].push_back(n);
    for (const auto& [block, nodes] : blocks) {
      absl::StrAppend(&out_, "    subgraph cluster_before_", block, " { label=\"block ", block, ", loop depth ",
                      s_.scalar.shader.blocks[block].loop_depth, "\";\n");
      for (const ir::NodeIndex n : nodes) {
        absl::StrAppend(&out_, "      b", n, " [label=\"", LabelOf(n), "\"", IsOp(n) ? "" : ", shape=box",
                        s_.scalar.outside_uses[n] > 0 ? ", peripheries=2" : "", "];\n");
      }
      out_ += "    }\n";
    }
    for (const ir::NodeIndex n : drawn_) {
      for (const ir::Source& source : term_.at(n).sources) {
        if (is_drawn_[source.node]) absl::StrAppend(&out_, "    b", source.node, " -> b", n, ";\n");
      }
    }
    out_ += "  }\n";
  }

  void After() {
    out_ += "  subgraph cluster_after { label=\"after\";\n";
    for (const ir::NodeIndex n : drawn_) {
      if (!s_.cover.needed[n]) continue;
      const int index = s_.cover.tile_of[n];
      if (index < 0) {
        absl::StrAppend(&out_, "    a", n, " [shape=box, label=\"", LabelOf(n), "\"];\n");
        continue;
      }
      const Tile& tile = s_.cover.tiles[index];
      std::string label = absl::StrCat("v", n, ": ", tile.rule, "\n");
      for (const Instruction& instruction : tile.code)
        absl::StrAppend(&label, PrintInstruction(*s_.machine, instruction), "\n");
      bool copied = false;
      if (!tile.inner.empty()) label += "covers";
      for (const ir::NodeIndex inner : tile.inner) {
        absl::StrAppend(&label, " v", inner);
        copied |= copies_[inner] > 1;
      }
      absl::StrAppend(&out_, "    a", n, " [shape=box, style=rounded, label=\"", Escaped(label), "\"",
                      copied ? ", color=red" : "", tile.from_pack ? ", penwidth=3" : "", "];\n");
      for (const auto& [name, operand] : tile.operands) {
        if (operand.kind != TileOperand::kConstant && is_drawn_[operand.node]) {
          absl::StrAppend(&out_, "    a", operand.node, " -> a", n, ";\n");
        }
      }
    }
    out_ += "  }\n";
  }

  const Selection& s_;
  const ir::Term& term_;
  std::vector<int> copies_;  // The number of tiles that cover each node.
  std::vector<ir::NodeIndex> drawn_;
  std::vector<bool> is_drawn_;
  std::string out_;
};

}  // namespace

std::string DrawSelection(const Selection& selection) { return Drawer(selection).Draw(); }

}  // namespace rewrought::machine::select
