#include "corpus/text/nir_text_header.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/term.h"

namespace rewrought::corpus {
namespace {

// The names of all fields, sorted. Sources: print_shader_info and _nir_print_shader_annotated of the three versions in
// nir_text_header.h.
constexpr absl::string_view kFields[] = {
    "active_stream_mask",
    "advanced_blend_modes",
    "api_subgroup_size",
    "api_subgroup_size_draw_uniform",
    "bit_sizes_float",
    "bit_sizes_int",
    "blit_sgprs_amd",
    "ccw",
    "clip_distance_array_size",
    "color0_centroid",
    "color0_interp",
    "color0_sample",
    "color1_centroid",
    "color1_interp",
    "color1_sample",
    "color_is_dual_source",
    "constants",
    "cull_distance_array_size",
    "depth_layout",
    "derivative_group",
    "divergence_analysis_run",
    "double_inputs",
    "dual_slot_inputs",
    "early_fragment_tests",
    "first_ubo_is_default_ubo",
    "float_controls_execution_mode",
    "flrp_lowered",
    "has_transform_feedback_varyings",
    "image_buffers",
    "images_used",
    "inlinable_uniform_dw_offsets",
    "inner_coverage",
    "input primitive",
    "input_primitive",
    "inputs",
    "inputs_read",
    "inputs_read_16bit",
    "inputs_read_indirectly",
    "inputs_read_indirectly_16bit",
    "internal",
    "invocations",
    "io_lowered",
    "known_interpolation_qualifiers",
    "label",
    "linear_varyings",
    "max primitives out",
    "max vertices out",
    "max_primitives_out",
    "max_subgroup_size",
    "max_vertices_out",
    "min_subgroup_size",
    "ms_cross_invocation_output_access",
    "msaa_images",
    "name",
    "needs_all_helper_invocations",
    "needs_coarse_quad_helper_invocations",
    "needs_edge_flag",
    "needs_full_quad_helper_invocations",
    "needs_quad_helper_invocations",
    "next_stage",
    "num_abos",
    "num_images",
    "num_inlinable_uniforms",
    "num_ssbos",
    "num_textures",
    "num_ubos",
    "nv",
    "origin_upper_left",
    "output primitive",
    "output_primitive",
    "outputs",
    "outputs_accessed_indirectly",
    "outputs_accessed_indirectly_16bit",
    "outputs_read",
    "outputs_read_16bit",
    "outputs_read_indirectly",
    "outputs_read_indirectly_16bit",
    "outputs_written",
    "outputs_written_16bit",
    "outputs_written_indirectly",
    "outputs_written_indirectly_16bit",
    "patch_inputs_read",
    "patch_inputs_read_indirectly",
    "patch_outputs_accessed_indirectly",
    "patch_outputs_read",
    "patch_outputs_read_indirectly",
    "patch_outputs_written",
    "patch_outputs_written_indirectly",
    "per_primitive_inputs",
    "per_primitive_outputs",
    "per_view_outputs",
    "perspective_varyings",
    "pixel_center_integer",
    "pixel_interlock_ordered",
    "pixel_interlock_unordered",
    "point_mode",
    "post_depth_coverage",
    "prev_stage",
    "primitive_mode",
    "primitive_type",
    "printfs",
    "ptr_size",
    "ray queries",
    "require_full_quads",
    "sample_interlock_ordered",
    "sample_interlock_unordered",
    "samplers_used",
    "scratch",
    "separate_shader",
    "shared",
    "shared-size",
    "shared_size",
    "source_blake3",
    "source_sha1",
    "spacing",
    "stage",
    "subgroup_size",
    "system_values_read",
    "task_payload-size",
    "task_payload_size",
    "tcs_cross_invocation_inputs_read",
    "tcs_cross_invocation_outputs_read",
    "tcs_same_invocation_inputs_read",
    "tcs_vertices_out",
    "textures_used",
    "textures_used_by_txf",
    "ubos",
    "uniforms",
    "untyped_color_outputs",
    "user_data_components_amd",
    "uses_demote",
    "uses_discard",
    "uses_end_primitive",
    "uses_fbfetch_output",
    "uses_fddx_fddy",
    "uses_resource_info_query",
    "uses_sample_qualifier",
    "uses_sample_shading",
    "uses_texture_gather",
    "uses_wide_subgroup_intrinsics",
    "vertices in",
    "vertices out",
    "vertices_in",
    "vertices_out",
    "window_space_position",
    "workgroup-size",
    "workgroup_size",
    "workgroup_size_hint",
    "writes_memory",
    "xfb_stride",
};

static_assert(std::ranges::adjacent_find(kFields, std::greater_equal<>()) == std::end(kFields));

// The marks by which versions differ.
struct Marks {
  bool old_names = false;                 // "vec4 32 ssa_5 ="
  bool parameters = false;                // "decl_function main (0 params)"
  bool one_size = false;                  // "subgroup_size:"
  bool range_of_sizes = false;            // "max_subgroup_size:"
  bool exact_names = false;               // "fadd!"
  bool flag_comments = false;             // "// preserve:nan"
  bool from_glsl = false;                 // "name: GLSL7"
  std::optional<absl::string_view> mode;  // the value of "float_controls_execution_mode:"
};

// Returns the text after " = " if the line defines the value of an ALU instruction.
std::optional<absl::string_view> AluText(absl::string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == absl::string_view::npos) return std::nullopt;
  const absl::string_view text = line.substr(equals + 3);
  if (text.empty() || !absl::ascii_islower(static_cast<unsigned char>(text[0]))) return std::nullopt;
  for (const absl::string_view other : {"load_const ", "phi ", "undefined", "deref_", "intrinsic "}) {
    if (absl::StartsWith(text, other)) return std::nullopt;
  }
  return text;
}

void ReadMarks(absl::string_view line, Marks* marks) {
  if (absl::StartsWith(line, "name: GLSL")) marks->from_glsl = true;
  if (absl::StartsWith(line, "subgroup_size: ")) marks->one_size = true;
  if (absl::StartsWith(line, "max_subgroup_size: ")) marks->range_of_sizes = true;
  if (absl::StartsWith(line, "decl_function ") && absl::EndsWith(line, " params)")) marks->parameters = true;
  if (absl::ConsumePrefix(&line, "float_controls_execution_mode:")) marks->mode = absl::StripAsciiWhitespace(line);
  const std::optional<absl::string_view> alu = AluText(line);
  if (!alu.has_value()) return;
  if (absl::StartsWith(line, "vec")) marks->old_names = true;
  const size_t end = alu->find_first_of(" .!");
  if (end != absl::string_view::npos && (*alu)[end] == '!') marks->exact_names = true;
  const size_t comment = alu->find(" // ");
  if (comment == absl::string_view::npos) return;
  for (const absl::string_view flag : {"exact", "no-contract", "no-reassoc", "no-transform", "preserve:"}) {
    if (absl::StartsWith(alu->substr(comment + 4), flag)) marks->flag_comments = true;
  }
}

NirTextVersion VersionOf(const Marks& marks) {
  if (marks.flag_comments) return NirTextVersion::kMesa26_1;
  if (marks.old_names) return NirTextVersion::kMesa22_3;
  if (marks.parameters) return NirTextVersion::kMesa23_2;
  if (marks.range_of_sizes) return marks.exact_names ? NirTextVersion::kMesa25_3 : NirTextVersion::kMesaUnmarked;
  return marks.one_size ? NirTextVersion::kMesa25_0 : NirTextVersion::kUnknown;
}

// Sets the permissions that follow from the execution mode. In Mesa 24.2 to 25.3, bits 0-2 preserve the sign of zero,
// bits 3-5 infinities, and bits 6-8 NaNs. The bits of each group are for 16-bit, 32-bit, and 64-bit floats, in this
// order (Mesa 25.0, enum float_controls in src/compiler/shader_enums.h).
void PermitByMode(uint32_t mode, NirTextHeader* header) {
  for (int size = 0; size < 3; ++size) {
    uint8_t flags = 0;
    if ((mode >> size & 1u) == 0) flags |= ir::kNoSignedZero;
    if ((mode >> (size + 3) & 1u) == 0) flags |= ir::kNoInf;
    if ((mode >> (size + 6) & 1u) == 0) flags |= ir::kNoNan;
    header->permitted[size] = flags;
  }
}

// Returns why the execution mode does not determine the permissions, or "" if it does.
absl::string_view WhyUnknown(const Marks& marks, NirTextVersion version) {
  if (marks.mode.has_value()) {
    // Mesa 22.3 to 24.1 order the bits in two other ways and print some of them with four digits.
    const bool old_order = version == NirTextVersion::kMesa22_3 || version == NirTextVersion::kMesa23_2;
    if (old_order || marks.mode->size() != 10) return "order of float_controls unknown";
  } else if (!marks.from_glsl && version == NirTextVersion::kMesa22_3 && !marks.one_size) {
    return "float_controls not printed";
  }
  if (!marks.from_glsl && version == NirTextVersion::kMesa25_3) return "preserve bits not printed";
  return "";
}

}  // namespace

absl::string_view DescriptionOf(NirTextVersion version) {
  switch (version) {
    case NirTextVersion::kUnknown:
      return "unknown version of Mesa";
    case NirTextVersion::kMesa22_3:
      return "Mesa 22.3 to 23.1";
    case NirTextVersion::kMesa23_2:
      return "Mesa 23.2 to 24.3";
    case NirTextVersion::kMesa25_0:
      return "Mesa 25.0 to 25.3";
    case NirTextVersion::kMesa25_3:
      return "Mesa 25.3 to 26.0";
    case NirTextVersion::kMesa26_1:
      return "Mesa 26.1 to 26.2";
    case NirTextVersion::kMesaUnmarked:
      return "Mesa 25.3 to 26.2";
  }
  return "";
}

NirTextHeader ReadNirTextHeader(absl::string_view text, absl::string_view stage) {
  Marks marks;
  NirTextHeader header;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const bool before = !marks.mode.has_value();
    ReadMarks(absl::StripAsciiWhitespace(line), &marks);
    if (before && marks.mode.has_value()) header.mode_line = number;
  }
  header.version = VersionOf(marks);
  uint32_t mode = 0;
  header.mode_valid =
      !marks.mode.has_value() || (absl::StartsWith(*marks.mode, "0x") && absl::SimpleHexAtoi(*marks.mode, &mode));
  if (!header.mode_valid) return header;
  if (marks.mode.has_value()) header.notes.push_back(absl::StrCat("float_controls ", *marks.mode));
  // If instructions print their flags, the mode contains no preserve bits.
  if (header.version == NirTextVersion::kMesa26_1 || stage == "kernel" || stage == "unknown") return header;
  const absl::string_view why = WhyUnknown(marks, header.version);
  if (why.empty()) {
    PermitByMode(mode, &header);
  } else {
    header.notes.emplace_back(why);
  }
  return header;
}

bool IsNirHeaderField(absl::string_view line) {
  if (absl::StartsWith(line, "spec[") || absl::StartsWith(line, "Unhandled stage ")) return true;
  const size_t colon = line.find(':');
  return colon != absl::string_view::npos &&
         std::binary_search(std::begin(kFields), std::end(kFields), line.substr(0, colon));
}

}  // namespace rewrought::corpus
