#include "corpus/cone_cache.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "ir/op_row.h"

namespace rewrought::corpus {
namespace {

// The limit is in bytes, because each term needs kilobytes. If only the number of terms were limited, two threads could
// use most of a gigabyte (docs/nightly.md 7).
constexpr size_t kMaxBytes = size_t{48} << 20;

enum class Reads : uint8_t { kInside, kConstant, kOutside, kUndefined };

template <typename T>
void Append(const T& value, std::string* key) {
  static_assert(std::is_scalar_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

size_t BytesOf(const ir::Term& term) {
  size_t bytes = term.nodes.capacity() * sizeof(ir::Node);
  for (const ir::Node& node : term.nodes) bytes += node.sources.capacity() * sizeof(ir::Source);
  return bytes;
}

// Returns the index of `value` in `values`. Adds the value if necessary.
uint8_t PlaceOf(ir::NodeIndex value, std::vector<ir::NodeIndex>* values) {
  const auto found = std::find(values->begin(), values->end(), value);
  const auto place = found - values->begin();
  if (found == values->end()) values->push_back(value);
  return static_cast<uint8_t>(place);
}

}  // namespace

// The key contains all inputs of BuildConeTerm, with local indices in place of the shader's node indices. (Cones have
// far fewer than 256 nodes, so an index fits into a byte.)
void ConeCache::MakeKey(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root,
                        std::vector<ir::NodeIndex>* outside) {
  key_.clear();
  outside->clear();
  for (ir::NodeIndex index : cone) {
    const ir::Node& node = shader.values.nodes[index];
    Append(node.op, &key_);
    Append(node.bits, &key_);
    Append(node.components, &key_);
    Append(node.flags, &key_);
    Append(node.write_mask, &key_);
    Append(static_cast<uint8_t>(index == root), &key_);
    Append(static_cast<uint8_t>(node.sources.size()), &key_);
    for (const ir::Source& source : node.sources) {
      for (uint8_t component : source.swizzle) Append(component, &key_);
      const auto inside = std::lower_bound(cone.begin(), cone.end(), source.node);
      if (inside != cone.end() && *inside == source.node) {
        Append(Reads::kInside, &key_);
        Append(static_cast<uint8_t>(inside - cone.begin()), &key_);
        continue;
      }
      const ir::Node& below = shader.values.nodes[source.node];
      const bool constant = below.kind == ir::NodeKind::kConstant;
      const bool undefined = shader.info[source.node].opaque == "undef";
      Append(constant ? Reads::kConstant : undefined ? Reads::kUndefined : Reads::kOutside, &key_);
      Append(PlaceOf(source.node, outside), &key_);
      Append(below.bits, &key_);
      Append(below.components, &key_);
      for (size_t c = 0; constant && c < below.components; ++c) Append(below.values[c], &key_);
    }
  }
}

const ConeCache::Built& ConeCache::Get(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone,
                                       ir::NodeIndex root, std::vector<ir::NodeIndex>* outside) {
  MakeKey(shader, cone, root, outside);
  const auto known = built_.find(key_);
  if (known != built_.end()) return known->second;
  ConeTerm term = BuildConeTerm(shader, cone, root);
  Built built;
  built.variables = std::move(term.variables);
  for (ConeVariable& variable : built.variables) {
    variable.node = PlaceOf(variable.node, outside);
  }
  for (ir::NodeIndex origin : term.origins) {
    const auto place = std::lower_bound(cone.begin(), cone.end(), origin);
    built.origins.push_back(place == cone.end() ? 0 : static_cast<uint32_t>(place - cone.begin()));
  }
  std::unique_ptr<const FragmentForm>& form = forms_[term.text];
  if (form == nullptr) {
    bytes_ += BytesOf(term.term) + 2 * term.text.capacity() + sizeof(FragmentForm);
    form = std::make_unique<FragmentForm>(FragmentForm{next_id_++, std::move(term.term), std::move(term.text)});
  }
  built.form = form.get();
  bytes_ += key_.size() + sizeof(Built) + built.variables.capacity() * sizeof(ConeVariable) +
            built.origins.capacity() * sizeof(uint32_t);
  return built_.emplace(key_, std::move(built)).first->second;
}

void ConeCache::Trim() {
  if (bytes_ < kMaxBytes) return;
  bytes_ = 0;
  built_.clear();
  forms_.clear();
}

}  // namespace rewrought::corpus
