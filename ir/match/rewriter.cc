#include "ir/match/rewriter.h"

#include <algorithm>
#include <utility>

#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

Source Compose(const Source& outer, const Swizzle& swizzle) {
  Source result = outer;
  for (int lane = 0; lane < kMaxComponents; ++lane)
    result.swizzle[lane] = outer.swizzle[swizzle[lane] % kMaxComponents];
  return result;
}

std::vector<const CompiledRule*> PointersTo(absl::Span<const CompiledRule> rules) {
  std::vector<const CompiledRule*> pointers;
  pointers.reserve(rules.size());
  for (const CompiledRule& rule : rules) pointers.push_back(&rule);
  return pointers;
}

}  // namespace

// The state of a run. Nodes are only appended; dead nodes stay until Compact.
class RewriteRun {
 public:
  RewriteRun(const Rewriter& rewriter, Term* term, absl::Span<const NodeIndex> roots,
             absl::Span<ShaderUse> shader_uses = {})
      : rewriter_(rewriter),
        term_(term),
        options_(rewriter.options_),
        before_(term->nodes.size()),
        shader_uses_(shader_uses) {
    options_.uses = &uses_;
    Grow();
    for (NodeIndex i = 0; i < before_; ++i) origins_[i] = i;
    for (const NodeIndex root : roots) ++pinned_[root];
    CountUses();
    for (NodeIndex i = 0; i < before_; ++i) Push(i);
  }

  RewriteResult Run() {
    while (!worklist_.empty()) {
      const NodeIndex node = worklist_.back();
      worklist_.pop_back();
      waiting_[node] = false;
      if (uses_[node] == 0 || term_->nodes[node].kind != NodeKind::kOp) continue;
      if (!Visit(node)) {
        result_.step_limit_reached = true;
        break;
      }
    }
    Compact();
    return std::move(result_);
  }

 private:
  void Grow() {
    const size_t size = term_->nodes.size();
    uses_.resize(size, 0);
    pinned_.resize(size, 0);
    waiting_.resize(size, false);
    users_.resize(size);
    forward_.resize(size);
    origins_.resize(size, 0);
    for (; grown_ < size; ++grown_) forward_[grown_] = {static_cast<NodeIndex>(grown_), kIdentitySwizzle};
  }
  void Push(NodeIndex node) {
    if (waiting_[node]) return;
    waiting_[node] = true;
    worklist_.push_back(node);
  }
  // Adds a use of `node`. If the node becomes live, adds uses of its sources too.
  void AddUse(NodeIndex node) {
    std::vector<NodeIndex> stack = {node};
    while (!stack.empty()) {
      const NodeIndex top = stack.back();
      stack.pop_back();
      if (uses_[top]++ != 0) continue;
      for (const Source& source : term_->nodes[top].sources) {
        users_[source.node].push_back(top);
        stack.push_back(source.node);
      }
    }
  }
  void DropUse(NodeIndex node) {
    std::vector<NodeIndex> stack = {node};
    while (!stack.empty()) {
      const NodeIndex top = stack.back();
      stack.pop_back();
      if (--uses_[top] != 0) {
        // With fewer uses, is_used_once may hold for the users of this node.
        for (const NodeIndex user : users_[top]) Push(user);
        continue;
      }
      for (const Source& source : term_->nodes[top].sources) {
        auto& users = users_[source.node];
        users.erase(std::find(users.begin(), users.end(), top));
        stack.push_back(source.node);
      }
    }
  }
  void CountUses() {
    for (NodeIndex i = 0; i < before_; ++i) {
      for (int n = pinned_[i]; n > 0; --n) AddUse(i);
    }
  }

  bool Visit(NodeIndex node);
  void Redirect(NodeIndex from, const Source& to);
  Source Resolve(NodeIndex node) const;
  void Compact();

  const Rewriter& rewriter_;
  Term* term_;
  MatchOptions options_;
  const size_t before_;
  const absl::Span<ShaderUse> shader_uses_;
  size_t grown_ = 0;
  std::vector<uint32_t> uses_;
  std::vector<int> pinned_;  // uses from outside the term
  std::vector<bool> waiting_;
  std::vector<std::vector<NodeIndex>> users_;  // indexed by node, one entry per source that reads it
  std::vector<Source> forward_;
  std::vector<NodeIndex> origins_;
  std::vector<NodeIndex> worklist_;
  RewriteResult result_;
};

// Applies the first rule that matches at `node`. Returns false if the step limit is reached.
bool RewriteRun::Visit(NodeIndex node) {
  for (const uint32_t index : rewriter_.RulesFor(term_->nodes[node].op)) {
    const CompiledRule& rule = *rewriter_.rules_[index];
    const std::optional<Match> match = MatchAt(rule, *term_, node, options_);
    if (!match.has_value()) continue;
    if (result_.applications.size() == rewriter_.max_steps_) return false;
    const size_t first_new = term_->nodes.size();
    const std::optional<Source> value = ApplyReplacement(rule, *match, term_);
    if (!value.has_value()) continue;
    if (value->node == node) continue;
    result_.applications.push_back({index, node});
    // Fold immediately, as Mesa's builder does; otherwise another rule may undo the rewrite.
    for (size_t i = first_new; i < term_->nodes.size(); ++i) FoldConstant(term_, static_cast<NodeIndex>(i));
    Grow();
    for (size_t i = first_new; i < term_->nodes.size(); ++i) origins_[i] = origins_[node];
    Redirect(node, *value);
    for (size_t i = first_new; i < term_->nodes.size(); ++i) Push(static_cast<NodeIndex>(i));
    return true;
  }
  return true;
}

void RewriteRun::Redirect(NodeIndex from, const Source& to) {
  AddUse(to.node);  // keeps `to` alive while uses move
  const std::vector<NodeIndex> users = users_[from];
  for (const NodeIndex user : users) {
    for (Source& source : term_->nodes[user].sources) {
      if (source.node != from) continue;
      source = Compose(to, source.swizzle);
      users_[to.node].push_back(user);
      AddUse(to.node);
    }
    Push(user);
  }
  users_[from].clear();
  forward_[from] = to;
  for (int n = pinned_[from]; n > 0; --n) AddUse(to.node);
  pinned_[to.node] += std::exchange(pinned_[from], 0);
  // Drop the remaining uses one by one, so that dropping the last one also releases the sources of `from`.
  for (uint32_t n = uses_[from]; n > 0; --n) DropUse(from);
  DropUse(to.node);
}

Source RewriteRun::Resolve(NodeIndex node) const {
  Source value = forward_[node];
  while (forward_[value.node].node != value.node) value = Compose(forward_[value.node], value.swizzle);
  return value;
}

// Drops dead nodes and sorts the rest. The shader's uses keep their positions relative to the kept nodes. A value that
// was built late is placed before the use that reads it, and thus before the loads after that use.
void RewriteRun::Compact() {
  constexpr NodeIndex kNone = ~NodeIndex{0};
  std::vector<NodeIndex> index_of(term_->nodes.size(), kNone);
  std::vector<Node> nodes;
  std::vector<std::pair<NodeIndex, size_t>> stack;
  const auto place = [&](NodeIndex start) {
    stack.emplace_back(start, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      std::vector<Source>& sources = term_->nodes[node].sources;
      if (index_of[node] != kNone) {
        stack.pop_back();
      } else if (next < sources.size()) {
        const NodeIndex source = sources[next++].node;
        if (index_of[source] == kNone) stack.emplace_back(source, 0);
      } else {
        for (Source& source : sources) source.node = index_of[source.node];
        index_of[node] = static_cast<NodeIndex>(nodes.size());
        nodes.push_back(std::move(term_->nodes[node]));
        result_.origins.push_back(origins_[node]);
        stack.pop_back();
      }
    }
  };
  size_t next_use = 0;
  for (NodeIndex start = 0; start <= term_->nodes.size(); ++start) {
    for (; next_use < shader_uses_.size() && shader_uses_[next_use].before <= start; ++next_use) {
      for (const ShaderLane& read : shader_uses_[next_use].reads) place(Resolve(read.node).node);
      shader_uses_[next_use].before = static_cast<NodeIndex>(nodes.size());
    }
    if (start < term_->nodes.size() && uses_[start] != 0) place(start);
  }
  result_.values.resize(before_);
  result_.alive.resize(before_);
  for (NodeIndex i = 0; i < before_; ++i) {
    Source value = Resolve(i);
    result_.alive[i] = index_of[value.node] != kNone;
    value.node = result_.alive[i] ? index_of[value.node] : 0;
    result_.values[i] = value;
  }
  term_->nodes = std::move(nodes);
}

Rewriter::Rewriter(absl::Span<const CompiledRule> rules, MatchOptions options, size_t max_steps)
    : Rewriter(PointersTo(rules), std::move(options), max_steps) {}

Rewriter::Rewriter(std::vector<const CompiledRule*> rules, MatchOptions options, size_t max_steps)
    : rules_(std::move(rules)), options_(std::move(options)), max_steps_(max_steps) {
  if (!options_.facts) options_.facts = &FactsOfNodes;
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    for (const OpRow* op : rules_[i]->root_ops()) by_root_[op].push_back(i);
  }
}

absl::Span<const uint32_t> Rewriter::RulesFor(const OpRow* op) const {
  const auto found = by_root_.find(op);
  return found == by_root_.end() ? absl::Span<const uint32_t>() : absl::MakeConstSpan(found->second);
}

RewriteResult Rewriter::Run(Term* term, absl::Span<const NodeIndex> roots) const {
  const NodeIndex old_root = term->root;
  const int components = term->nodes.empty() ? 1 : term->nodes[old_root].components;
  RewriteResult result = RewriteRun(*this, term, roots).Run();
  if (result.values.empty() || !result.alive[old_root]) return result;
  const Source root = result.values[old_root];
  term->root = root.node;
  bool whole = term->nodes[root.node].components == components;
  for (int lane = 0; lane < components; ++lane) whole = whole && root.swizzle[lane] == lane;
  const OpRow* mov = whole ? nullptr : FindOp("mov");
  if (mov == nullptr) return result;
  Node copy;
  copy.kind = NodeKind::kOp;
  copy.op = mov;
  copy.bits = term->nodes[root.node].bits;
  copy.components = static_cast<uint8_t>(components);
  copy.sources = {root};
  term->root = static_cast<NodeIndex>(term->nodes.size());
  term->nodes.push_back(std::move(copy));
  result.origins.push_back(old_root);
  return result;
}

RewriteResult Rewriter::Run(Shader* shader) const {
  const std::vector<uint32_t> outside_uses = OutsideUses(*shader);
  std::vector<NodeIndex> roots;
  for (NodeIndex i = 0; i < shader->info.size(); ++i) {
    if (outside_uses[i] != 0) roots.push_back(i);
  }
  RewriteResult result = RewriteRun(*this, &shader->values, roots, absl::MakeSpan(shader->uses)).Run();
  std::vector<ShaderValueInfo> info(shader->values.nodes.size());
  for (size_t i = 0; i < info.size(); ++i) {
    info[i] = shader->info[result.origins[i]];
    if (shader->values.nodes[i].kind != NodeKind::kVariable) info[i].opaque.clear();
  }
  for (ShaderUse& use : shader->uses) {
    for (ShaderLane& read : use.reads) {
      const Source& value = result.values[read.node];
      read = {value.node, value.swizzle[read.component]};
    }
    std::erase_if(use.gives, [&](NodeIndex given) { return !result.alive[given]; });
    for (NodeIndex& given : use.gives) given = result.values[given].node;
  }
  shader->info = std::move(info);
  shader->values.root = 0;
  return result;
}

}  // namespace rewrought::ir
