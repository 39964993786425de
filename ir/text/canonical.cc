#include "ir/text/canonical.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/digest.h"
#include "ir/text/node_table.h"
#include "ir/text/predicates.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMaxUndecided = 6;

using Names = std::map<std::string, std::string>;  // maps old names to new ones

bool IsEitherZero(const Node& node) {
  return std::find(node.predicates.begin(), node.predicates.end(), kEitherZeroMark) != node.predicates.end();
}

bool IsCommutative(const Node& node) {
  return node.kind == NodeKind::kOp && (node.op->properties & kCommutative) && node.sources.size() >= 2;
}

uint64_t HashString(uint64_t seed, const std::string& text) {
  for (const char c : text) seed = MixHash(seed, static_cast<unsigned char>(c));
  return MixHash(seed, text.size());
}

// Returns a, b, …, z, ba, bb, …. Mesa requires variable names to consist of letters only.
std::string NameOf(size_t number) {
  std::string name;
  do {
    name.insert(name.begin(), static_cast<char>('a' + number % 26));
    number /= 26;
  } while (number != 0);
  return name == "inf" || name == "nan" ? absl::StrCat(name, "x") : name;
}

// Drops nodes that the root does not reach, merges equal nodes, and sets unread lanes to the identity.
Term Consed(const Term& term) {
  std::vector<bool> wanted(term.nodes.size(), false);
  wanted[term.root] = true;
  for (size_t i = term.nodes.size(); i-- > 0;) {
    if (!wanted[i]) continue;
    for (const Source& source : term.nodes[i].sources) wanted[source.node] = true;
  }
  Term result;
  NodeTable table;
  std::vector<NodeIndex> index_of(term.nodes.size());
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    if (!wanted[i]) continue;
    Node node = term.nodes[i];
    for (size_t k = 0; k < node.sources.size(); ++k) {
      Source& source = node.sources[k];
      source.node = index_of[source.node];
      const int fixed = node.op->sources[k].components;
      for (int lane = fixed != 0 ? fixed : node.components; lane < kMaxComponents; ++lane) {
        source.swizzle[lane] = static_cast<uint8_t>(lane);
      }
    }
    // Clear lanes beyond the pattern's components; they have no meaning.
    for (int c = node.components; node.literal == LiteralKind::kBits && c < kMaxComponents; ++c) node.values[c] = 0;
    std::sort(node.predicates.begin(), node.predicates.end());
    if (node.kind == NodeKind::kConstant && IsEitherZero(node)) {
      index_of[i] = static_cast<NodeIndex>(result.nodes.size());
      result.nodes.push_back(std::move(node));
    } else {
      index_of[i] = table.Intern(std::move(node), &result);
    }
  }
  result.root = index_of[term.root];
  return result;
}

// Orders the operands of commutative ops by shape.
class Sorter {
 public:
  // `names` distinguishes variables by name; if null, variables differ only by their marks and position.
  Sorter(Term* term, const Names* names)
      : term_(term), names_(names), hash_(term->nodes.size()), place_(term->nodes.size(), 0) {}

  // Sorts all operands. Returns the ops whose two operands differ but have equal keys.
  std::vector<NodeIndex> Sort() {
    HashAll();
    if (names_ == nullptr) {
      HashPositions();
      HashAll();
    }
    std::vector<NodeIndex> undecided;
    for (NodeIndex i = 0; i < term_->nodes.size(); ++i) {
      Node& node = term_->nodes[i];
      if (!IsCommutative(node)) continue;
      const auto first = Key(node.sources[0]), second = Key(node.sources[1]);
      if (second < first) std::swap(node.sources[0], node.sources[1]);
      if (first == second && !(node.sources[0] == node.sources[1])) undecided.push_back(i);
    }
    return undecided;
  }

 private:
  uint64_t Seen(const Source& source) const { return MixSwizzle(hash_[source.node], source.swizzle); }
  std::pair<int, uint64_t> Key(const Source& source) const {
    const NodeKind kind = term_->nodes[source.node].kind;
    return {kind == NodeKind::kVariable ? 0 : kind == NodeKind::kOp ? 1 : 2, Seen(source)};
  }
  void HashAll() {
    for (NodeIndex i = 0; i < term_->nodes.size(); ++i) hash_[i] = HashOf(i);
  }
  uint64_t HashOf(NodeIndex index) const {
    Node bare = term_->nodes[index];
    uint64_t hash = 0;
    for (const std::string& predicate : bare.predicates) hash = HashString(hash, predicate);
    if (bare.kind == NodeKind::kVariable) {
      const uint64_t marks = bare.constant_only | bare.typed << 1 | static_cast<uint64_t>(bare.type) << 2;
      std::string name;
      if (names_ != nullptr) {
        const auto known = names_->find(bare.name);
        name = known == names_->end() ? bare.name : known->second;
      }
      bare.name = std::move(name);
      return MixHash(MixHash(MixHash(hash, marks), HashNode(bare)), place_[index]);
    }
    if (bare.kind == NodeKind::kConstant) return MixHash(hash, HashNode(bare));
    const std::vector<Source> sources = std::move(bare.sources);
    bare.sources.clear();
    hash = MixHash(hash, HashNode(bare));
    for (size_t k = 0; k < sources.size(); ++k) {
      if (k == 0 && IsCommutative(term_->nodes[index])) {
        const uint64_t a = Seen(sources[0]), b = Seen(sources[1]);
        hash = MixHash(MixHash(hash, std::min(a, b)), std::max(a, b));
        k = 1;
      } else {
        hash = MixHash(hash, Seen(sources[k]));
      }
    }
    return hash;
  }
  // Hashes the position of each node: its users and their other operands, summed over its uses.
  void HashPositions() {
    place_[term_->root] = 1;
    for (NodeIndex i = static_cast<NodeIndex>(term_->nodes.size()); i-- > 0;) {
      const Node& node = term_->nodes[i];
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const bool swappable = IsCommutative(node) && k < 2;
        uint64_t use = MixHash(MixHash(place_[i], hash_[i]), swappable ? 0 : k);
        if (swappable) use = MixHash(use, Seen(node.sources[1 - k]));
        use = MixSwizzle(use, node.sources[k].swizzle);
        place_[node.sources[k].node] += use;
      }
    }
  }

  Term* term_;
  const Names* names_;
  std::vector<uint64_t> hash_, place_;
};

// Emits the nodes in the order in which they occur in the text, sources first, and names variables in that order.
class Emitter {
 public:
  Emitter(const Term& term, Names* names) : term_(term), names_(names), index_of_(term.nodes.size(), kNone) {}

  Term Run() {
    result_.root = Emit(term_.root);
    return std::move(result_);
  }

 private:
  static constexpr NodeIndex kNone = ~NodeIndex{0};

  // This function is iterative, because shared terms may be deep.
  NodeIndex Emit(NodeIndex root) {
    std::vector<std::pair<NodeIndex, size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [index, next] = stack.back();
      const Node& node = term_.nodes[index];
      if (index_of_[index] != kNone) {
        stack.pop_back();
      } else if (next < node.sources.size()) {
        const NodeIndex source = node.sources[next++].node;
        if (index_of_[source] == kNone) stack.emplace_back(source, 0);
      } else {
        Append(index);
        stack.pop_back();
      }
    }
    return index_of_[root];
  }
  void Append(NodeIndex index) {
    Node node = term_.nodes[index];
    for (Source& source : node.sources) source.node = index_of_[source.node];
    if (node.kind == NodeKind::kVariable) {
      node.name = names_->emplace(node.name, NameOf(names_->size())).first->second;
    }
    index_of_[index] = static_cast<NodeIndex>(result_.nodes.size());
    result_.nodes.push_back(std::move(node));
  }

  const Term& term_;
  Names* names_;
  std::vector<NodeIndex> index_of_;
  Term result_;
};

struct Form {
  Term term;
  Names names;
  std::string text;
};

// Returns all forms whose text is minimal.
std::vector<Form> LeastForms(const Term& term) {
  Term sorted = Consed(term);
  std::vector<NodeIndex> undecided = Sorter(&sorted, nullptr).Sort();
  undecided.resize(std::min(undecided.size(), kMaxUndecided));
  std::vector<Form> least;
  for (size_t flips = 0; flips < size_t{1} << undecided.size(); ++flips) {
    Term flipped = sorted;
    for (size_t i = 0; i < undecided.size(); ++i) {
      Node& node = flipped.nodes[undecided[i]];
      if (flips >> i & 1) std::swap(node.sources[0], node.sources[1]);
    }
    Form form;
    form.term = Emitter(flipped, &form.names).Run();
    if (!undecided.empty()) form.text = CanonicalText(form.term);
    if (!least.empty() && least.front().text < form.text) continue;
    if (!least.empty() && form.text < least.front().text) least.clear();
    least.push_back(std::move(form));
  }
  return least;
}

}  // namespace

Term CanonicalTerm(const Term& term) { return std::move(LeastForms(term).front().term); }

Rule CanonicalRule(const Rule& rule) {
  Rule result;
  result.condition = rule.condition;
  std::vector<Form> forms = LeastForms(rule.search);
  if (rule.replace.nodes.empty()) {
    result.search = std::move(forms.front().term);
    return result;
  }
  // Forms with the same text differ only in their names, so the replacement decides between them.
  std::string least;
  for (Form& form : forms) {
    Term replace = Consed(rule.replace);
    Sorter(&replace, &form.names).Sort();
    replace = Emitter(replace, &form.names).Run();
    std::string text = CanonicalText(replace);
    if (!result.search.nodes.empty() && least <= text) continue;
    least = std::move(text);
    result.search = std::move(form.term);
    result.replace = std::move(replace);
  }
  return result;
}

namespace {

// Returns the number of lanes that the text contains. Terms of at most four components must keep the text, and thus the
// digest, that they had before wider vectors were supported.
size_t LanesInText(int components) {
  return static_cast<size_t>(components <= kShaderComponents ? kShaderComponents : kMaxComponents);
}

int WrittenLanes(const Node& node) { return node.write_mask & ((1 << LanesInText(node.components)) - 1); }

}  // namespace

std::string CanonicalText(const Term& term) {
  std::string text;
  for (const Node& node : term.nodes) {
    absl::StrAppend(&text, static_cast<int>(node.bits), "x", static_cast<int>(node.components), ":", WrittenLanes(node),
                    " ");
    switch (node.kind) {
      case NodeKind::kVariable:
        absl::StrAppend(&text, node.constant_only ? "#" : "", node.name);
        if (node.typed) absl::StrAppend(&text, "@", static_cast<int>(node.type));
        break;
      case NodeKind::kConstant:
        absl::StrAppend(&text, "=", static_cast<int>(node.literal));
        for (size_t c = 0; c < LanesInText(node.components); ++c)
          absl::StrAppend(&text, ",", absl::Hex(node.values[c]));
        break;
      case NodeKind::kOp:
        absl::StrAppend(&text, node.op->name, "!", static_cast<int>(node.flags));
        for (size_t k = 0; k < node.sources.size(); ++k) {
          const Source& source = node.sources[k];
          absl::StrAppend(&text, " ", source.node);
          if (source.swizzle == kIdentitySwizzle) continue;
          text.push_back('.');
          const int fixed = node.op->sources[k].components;
          const size_t lanes = LanesInText(fixed != 0 ? fixed : node.components);
          for (size_t c = 0; c < lanes; ++c) text.push_back(static_cast<char>('0' + source.swizzle[c]));
        }
        break;
    }
    if (!node.predicates.empty()) absl::StrAppend(&text, " (", absl::StrJoin(node.predicates, ","), ")");
    text.push_back('\n');
  }
  absl::StrAppend(&text, "root ", term.root, "\n");
  return text;
}

std::string CanonicalDigest(const Term& term) { return Sha256Hex(CanonicalText(CanonicalTerm(term))); }

std::string CanonicalDigest(const Rule& rule) {
  const Rule canonical = CanonicalRule(rule);
  return Sha256Hex(absl::StrCat(CanonicalText(canonical.search), "=>\n",
                                canonical.replace.nodes.empty() ? "" : CanonicalText(canonical.replace), "if ",
                                canonical.condition));
}

bool StructurallyEqual(const Term& a, const Term& b) { return SameTerm(CanonicalTerm(a), CanonicalTerm(b)); }

bool StructurallyEqual(const Rule& a, const Rule& b) {
  const Rule x = CanonicalRule(a), y = CanonicalRule(b);
  return x.condition == y.condition && SameTerm(x.search, y.search) && SameTerm(x.replace, y.replace);
}

}  // namespace rewrought::ir
