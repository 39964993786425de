#include "emitter/nir/nir_target.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace rewrought::emitter {
namespace {

// Sources of the lists: src/compiler/nir/{nir_opcodes.py, nir_search_helpers.h, nir.h} of Mesa 22.3.6 and 25.0.7.
constexpr absl::string_view kOpsOnlyIn25[] = {
    "alignbyte_amd",
    "andg_ir3",
    "b32fcsel_mdg",
    "bitnz",
    "bitnz16",
    "bitnz32",
    "bitnz8",
    "bitz",
    "bitz16",
    "bitz32",
    "bitz8",
    "bounds_agx",
    "cube_amd",
    "extr_agx",
    "f2snorm_16_v3d",
    "f2unorm_16_v3d",
    "fclamp_pos",
    "fcos_mdg",
    "fequ",
    "fequ16",
    "fequ32",
    "fequ8",
    "fgeu",
    "fgeu16",
    "fgeu32",
    "fgeu8",
    "fltu",
    "fltu16",
    "fltu32",
    "fltu8",
    "fmax_agx",
    "fmin_agx",
    "fneo",
    "fneo16",
    "fneo32",
    "fneo8",
    "ford",
    "ford16",
    "ford32",
    "ford8",
    "fsat_signed",
    "fsin_mdg",
    "funord",
    "funord16",
    "funord32",
    "funord8",
    "icsel_eqz",
    "ilea_agx",
    "imad",
    "imadshl_agx",
    "imsubshl_agx",
    "interleave_agx",
    "mqsad_4x8",
    "msad_4x8",
    "pack_2x16_to_snorm_2x8_v3d",
    "pack_2x16_to_unorm_10_2_v3d",
    "pack_2x16_to_unorm_2x10_v3d",
    "pack_2x16_to_unorm_2x8_v3d",
    "pack_2x32_to_2x16_v3d",
    "pack_32_to_r11g11b10_v3d",
    "pack_4x16_to_4x8_v3d",
    "pack_half_2x16_rtz_split",
    "pack_uint_32_to_r10g10b10a2_v3d",
    "prmt_nv",
    "shfr",
    "shlg_ir3",
    "shlm_ir3",
    "shrg_ir3",
    "shrm_ir3",
    "udiv_aligned_4",
    "ulea_agx",
};

constexpr absl::string_view kPredicatesOnlyIn25[] = {
    "is_16_bits",
    "is_2x_16_bits",
    "is_5lsb_not_zero",
    "is_any_comp_nan",
    "is_const_bitmask",
    "is_lower_half_negative_one",
    "is_nan",
    "is_neg2x_16_bits",
    "is_negative_zero",
    "is_odd",
    "is_only_used_by_iadd",
    "is_only_used_by_iand",
    "is_only_used_by_if",
    "is_only_used_by_ior",
    "is_upper_half_negative_one",
};

constexpr absl::string_view kOptionsInBoth[] = {
    "avoid_ternary_with_two_constants",
    "fdot_replicates",
    "fuse_ffma16",
    "fuse_ffma32",
    "fuse_ffma64",
    "has_cs_global_id",
    "has_dot_2x16",
    "has_find_msb_rev",
    "has_fmulz",
    "has_fsub",
    "has_fused_comp_and_csel",
    "has_iadd3",
    "has_imul24",
    "has_isub",
    "has_pack_32_4x8",
    "has_sdot_4x8",
    "has_sudot_4x8",
    "has_udot_4x8",
    "has_umad24",
    "has_umul24",
    "intel_vec4",
    "lower_all_io_to_temps",
    "lower_base_vertex",
    "lower_bit_count",
    "lower_bitfield_extract",
    "lower_bitfield_insert",
    "lower_bitfield_reverse",
    "lower_bitops",
    "lower_cs_local_id_to_index",
    "lower_cs_local_index_to_id",
    "lower_device_index_to_zero",
    "lower_doubles_options",
    "lower_extract_byte",
    "lower_extract_word",
    "lower_fceil",
    "lower_fdiv",
    "lower_fdot",
    "lower_fdph",
    "lower_ffloor",
    "lower_ffma16",
    "lower_ffma32",
    "lower_ffma64",
    "lower_ffract",
    "lower_find_lsb",
    "lower_fisnormal",
    "lower_flrp16",
    "lower_flrp32",
    "lower_flrp64",
    "lower_fmod",
    "lower_fneg",
    "lower_fpow",
    "lower_fround_even",
    "lower_fsat",
    "lower_fsign",
    "lower_fsqrt",
    "lower_ftrunc",
    "lower_hadd",
    "lower_hadd64",
    "lower_helper_invocation",
    "lower_iabs",
    "lower_iadd_sat",
    "lower_ifind_msb",
    "lower_ineg",
    "lower_insert_byte",
    "lower_insert_word",
    "lower_int64_options",
    "lower_interpolate_at",
    "lower_isign",
    "lower_ldexp",
    "lower_mul_2x32_64",
    "lower_mul_32x16",
    "lower_mul_high",
    "lower_pack_32_2x16",
    "lower_pack_32_2x16_split",
    "lower_pack_64_2x32",
    "lower_pack_64_2x32_split",
    "lower_pack_64_4x16",
    "lower_pack_half_2x16",
    "lower_pack_snorm_2x16",
    "lower_pack_snorm_4x8",
    "lower_pack_split",
    "lower_pack_unorm_2x16",
    "lower_pack_unorm_4x8",
    "lower_scmp",
    "lower_sincos",
    "lower_to_scalar",
    "lower_to_scalar_filter",
    "lower_uadd_carry",
    "lower_uadd_sat",
    "lower_umax",
    "lower_umin",
    "lower_uniforms_to_ubo",
    "lower_unpack_32_2x16_split",
    "lower_unpack_64_2x32_split",
    "lower_unpack_half_2x16",
    "lower_unpack_snorm_2x16",
    "lower_unpack_snorm_4x8",
    "lower_unpack_unorm_2x16",
    "lower_unpack_unorm_4x8",
    "lower_usub_borrow",
    "lower_usub_sat",
    "lower_vector_cmp",
    "lower_wpos_pntc",
    "no_integers",
    "support_16bit_alu",
    "support_8bit_alu",
    "support_indirect_inputs",
    "support_indirect_outputs",
    "vectorize_vec2_16bit",
};

constexpr absl::string_view kOptionsOnlyIn22[] = {
    "has_txs",
    "lower_all_io_to_elements",
    "lower_bitfield_extract_to_shifts",
    "lower_bitfield_insert_to_bitfield_select",
    "lower_bitfield_insert_to_shifts",
    "lower_find_msb_to_reverse",
    "lower_fs_color_inputs",
    "lower_io_variables",
    "lower_rotate",
    "lower_uclz",
    "lower_varying_from_uniform",
};

constexpr absl::string_view kOptionsOnlyIn25[] = {
    "force_f2f16_rtz",
    "has_amul",
    "has_bfe",
    "has_bfi",
    "has_bfm",
    "has_bit_test",
    "has_bitfield_select",
    "has_ddx_intrinsics",
    "has_fmulz_no_denorms",
    "has_fneo_fcmpu",
    "has_ford_funord",
    "has_icsel_eqz16",
    "has_icsel_eqz32",
    "has_icsel_eqz64",
    "has_imad32",
    "has_msad",
    "has_pack_half_2x16_rtz",
    "has_rotate16",
    "has_rotate32",
    "has_rotate8",
    "has_sdot_4x8_sat",
    "has_shfr32",
    "has_sudot_4x8_sat",
    "has_texture_scaling",
    "has_uclz",
    "has_udot_4x8_sat",
    "lower_atomic_offset_to_range_base",
    "lower_fminmax_signed_zero",
    "lower_fquantize2f16",
    "lower_image_offset_to_range_base",
    "lower_layer_fs_input_to_sysval",
    "lower_ufind_msb",
    "preserve_mediump",
};

// How drivers say that they take an op; "?": that version has no such
// option. `bits` 0: any size.
struct GuardRow {
  absl::string_view op;
  int bits = 0;
  absl::string_view in_25, in_22;
};

// Source: the comments of nir_shader_compiler_options in nir.h, and the conditions of nir_opt_algebraic.py, of both
// versions.
constexpr GuardRow kGuards[] = {
    {"amul", 0, "options->has_amul", "?"},
    {"bfi", 0, "options->has_bfi", "options->lower_bitfield_insert"},
    {"bfm", 0, "options->has_bfm", "options->lower_bitfield_insert"},
    {"bit_count", 0, "!options->lower_bit_count", "!options->lower_bit_count"},
    {"bitfield_insert", 0, "!options->lower_bitfield_insert",
     "!options->lower_bitfield_insert && !options->lower_bitfield_insert_to_shifts && "
     "!options->lower_bitfield_insert_to_bitfield_select"},
    {"bitfield_reverse", 0, "!options->lower_bitfield_reverse", "!options->lower_bitfield_reverse"},
    {"bitfield_select", 0, "options->has_bitfield_select", "options->lower_bitfield_insert_to_bitfield_select"},
    {"bitnz", 0, "options->has_bit_test", "?"},
    {"bitz", 0, "options->has_bit_test", "?"},
    {"extract_i16", 0, "!options->lower_extract_word", "!options->lower_extract_word"},
    {"extract_i8", 0, "!options->lower_extract_byte", "!options->lower_extract_byte"},
    {"extract_u16", 0, "!options->lower_extract_word", "!options->lower_extract_word"},
    {"extract_u8", 0, "!options->lower_extract_byte", "!options->lower_extract_byte"},
    {"fceil", 0, "!options->lower_fceil", "!options->lower_fceil"},
    {"fcos", 0, "!options->lower_sincos", "!options->lower_sincos"},
    {"fcsel", 0, "?", "?"},
    {"fcsel_ge", 0, "options->has_fused_comp_and_csel", "options->has_fused_comp_and_csel"},
    {"fcsel_gt", 0, "options->has_fused_comp_and_csel", "options->has_fused_comp_and_csel"},
    {"fdiv", 0, "!options->lower_fdiv", "!options->lower_fdiv"},
    {"fdot2", 0, "!options->lower_fdot", "!options->lower_fdot"},
    {"fdot3", 0, "!options->lower_fdot", "!options->lower_fdot"},
    {"fdot4", 0, "!options->lower_fdot", "!options->lower_fdot"},
    {"fdph", 0, "!options->lower_fdph", "!options->lower_fdph"},
    {"fequ", 0, "options->has_fneo_fcmpu", "?"},
    {"ffloor", 0, "!options->lower_ffloor", "!options->lower_ffloor"},
    {"ffma", 16, "!options->lower_ffma16", "!options->lower_ffma16"},
    {"ffma", 32, "!options->lower_ffma32", "!options->lower_ffma32"},
    {"ffma", 64, "!options->lower_ffma64", "!options->lower_ffma64"},
    {"ffmaz", 0, "options->has_fmulz && !options->lower_ffma32", "options->has_fmulz && !options->lower_ffma32"},
    {"ffract", 0, "!options->lower_ffract", "!options->lower_ffract"},
    {"fgeu", 0, "options->has_fneo_fcmpu", "?"},
    {"find_lsb", 0, "!options->lower_find_lsb", "!options->lower_find_lsb"},
    {"fisnormal", 0, "!options->lower_fisnormal", "!options->lower_fisnormal"},
    {"flrp", 16, "!options->lower_flrp16", "!options->lower_flrp16"},
    {"flrp", 32, "!options->lower_flrp32", "!options->lower_flrp32"},
    {"flrp", 64, "!options->lower_flrp64", "!options->lower_flrp64"},
    {"fltu", 0, "options->has_fneo_fcmpu", "?"},
    {"fmod", 0, "!options->lower_fmod", "!options->lower_fmod"},
    {"fmulz", 0, "options->has_fmulz", "options->has_fmulz"},
    {"fneg", 0, "!options->lower_fneg", "!options->lower_fneg"},
    {"fneo", 0, "options->has_fneo_fcmpu", "?"},
    {"ford", 0, "options->has_ford_funord", "?"},
    {"fpow", 0, "!options->lower_fpow", "!options->lower_fpow"},
    {"fquantize2f16", 0, "!options->lower_fquantize2f16", ""},
    {"fround_even", 0, "!options->lower_fround_even", "!options->lower_fround_even"},
    {"fsat", 0, "!options->lower_fsat", "!options->lower_fsat"},
    {"fsign", 0, "!options->lower_fsign", "!options->lower_fsign"},
    {"fsin", 0, "!options->lower_sincos", "!options->lower_sincos"},
    {"fsqrt", 0, "!options->lower_fsqrt", "!options->lower_fsqrt"},
    {"fsub", 0, "options->has_fsub", "options->has_fsub"},
    {"ftrunc", 0, "!options->lower_ftrunc", "!options->lower_ftrunc"},
    {"funord", 0, "options->has_ford_funord", "?"},
    {"i32csel_ge", 0, "options->has_fused_comp_and_csel", "options->has_fused_comp_and_csel"},
    {"i32csel_gt", 0, "options->has_fused_comp_and_csel", "options->has_fused_comp_and_csel"},
    {"iabs", 0, "!options->lower_iabs", "!options->lower_iabs"},
    {"iadd3", 0, "options->has_iadd3", "options->has_iadd3"},
    {"iadd_sat", 0, "!options->lower_iadd_sat", "!options->lower_iadd_sat"},
    {"ibfe", 0, "options->has_bfe", "options->lower_bitfield_extract"},
    {"ibitfield_extract", 0, "!options->lower_bitfield_extract",
     "!options->lower_bitfield_extract && !options->lower_bitfield_extract_to_shifts"},
    {"icsel_eqz", 16, "options->has_icsel_eqz16", "?"},
    {"icsel_eqz", 32, "options->has_icsel_eqz32", "?"},
    {"icsel_eqz", 64, "options->has_icsel_eqz64", "?"},
    {"ifind_msb", 0, "!options->lower_ifind_msb", "!options->lower_ifind_msb && !options->lower_find_msb_to_reverse"},
    {"ifind_msb_rev", 0, "options->has_find_msb_rev", "options->has_find_msb_rev"},
    {"ihadd", 0, "!options->lower_hadd", "!options->lower_hadd"},
    {"imad", 0, "options->has_imad32", "?"},
    {"imul24", 0, "options->has_imul24", "options->has_imul24"},
    {"imul24_relaxed", 0, "options->has_imul24", "options->has_imul24"},
    {"imul_2x32_64", 0, "!options->lower_mul_2x32_64", "!options->lower_mul_2x32_64"},
    {"imul_32x16", 0, "!options->lower_mul_32x16", "!options->lower_mul_32x16"},
    {"imul_high", 0, "!options->lower_mul_high", "!options->lower_mul_high"},
    {"ineg", 0, "!options->lower_ineg", "!options->lower_ineg"},
    {"insert_u16", 0, "!options->lower_insert_word", "!options->lower_insert_word"},
    {"insert_u8", 0, "!options->lower_insert_byte", "!options->lower_insert_byte"},
    {"irhadd", 0, "!options->lower_hadd", "!options->lower_hadd"},
    {"isign", 0, "!options->lower_isign", "!options->lower_isign"},
    {"isub", 0, "options->has_isub", "options->has_isub"},
    {"isub_sat", 0, "!options->lower_iadd_sat", "!options->lower_iadd_sat"},
    {"ldexp", 0, "!options->lower_ldexp", "!options->lower_ldexp"},
    {"msad_4x8", 0, "options->has_msad", "?"},
    {"pack_32_2x16", 0, "!options->lower_pack_32_2x16", "!options->lower_pack_32_2x16"},
    {"pack_32_2x16_split", 0, "!options->lower_pack_32_2x16_split", "!options->lower_pack_32_2x16_split"},
    {"pack_32_4x8", 0, "options->has_pack_32_4x8", "options->has_pack_32_4x8"},
    {"pack_64_2x32", 0, "!options->lower_pack_64_2x32", "!options->lower_pack_64_2x32"},
    {"pack_64_2x32_split", 0, "!options->lower_pack_64_2x32_split", "!options->lower_pack_64_2x32_split"},
    {"pack_64_4x16", 0, "!options->lower_pack_64_4x16", "!options->lower_pack_64_4x16"},
    {"pack_half_2x16", 0, "!options->lower_pack_half_2x16", "!options->lower_pack_half_2x16"},
    {"pack_half_2x16_rtz_split", 0, "options->has_pack_half_2x16_rtz", "?"},
    {"pack_half_2x16_split", 0, "!options->lower_pack_split", "!options->lower_pack_split"},
    {"pack_snorm_2x16", 0, "!options->lower_pack_snorm_2x16", "!options->lower_pack_snorm_2x16"},
    {"pack_snorm_4x8", 0, "!options->lower_pack_snorm_4x8", "!options->lower_pack_snorm_4x8"},
    {"pack_unorm_2x16", 0, "!options->lower_pack_unorm_2x16", "!options->lower_pack_unorm_2x16"},
    {"pack_unorm_4x8", 0, "!options->lower_pack_unorm_4x8", "!options->lower_pack_unorm_4x8"},
    {"sdot_2x16_iadd", 0, "options->has_dot_2x16", "options->has_dot_2x16"},
    {"sdot_2x16_iadd_sat", 0, "options->has_dot_2x16", "options->has_dot_2x16"},
    {"sdot_4x8_iadd", 0, "options->has_sdot_4x8", "options->has_sdot_4x8"},
    {"sdot_4x8_iadd_sat", 0, "options->has_sdot_4x8_sat", "options->has_sdot_4x8"},
    {"seq", 0, "!options->lower_scmp", "!options->lower_scmp"},
    {"sge", 0, "!options->lower_scmp", "!options->lower_scmp"},
    {"shfr", 0, "options->has_shfr32", "?"},
    {"slt", 0, "!options->lower_scmp", "!options->lower_scmp"},
    {"sne", 0, "!options->lower_scmp", "!options->lower_scmp"},
    {"sudot_4x8_iadd", 0, "options->has_sudot_4x8", "options->has_sudot_4x8"},
    {"sudot_4x8_iadd_sat", 0, "options->has_sudot_4x8_sat", "options->has_sudot_4x8"},
    {"uadd_carry", 0, "!options->lower_uadd_carry", "!options->lower_uadd_carry"},
    {"uadd_sat", 0, "!options->lower_uadd_sat", "!options->lower_uadd_sat"},
    {"ubfe", 0, "options->has_bfe", "options->lower_bitfield_extract"},
    {"ubitfield_extract", 0, "!options->lower_bitfield_extract",
     "!options->lower_bitfield_extract && !options->lower_bitfield_extract_to_shifts"},
    {"uclz", 0, "options->has_uclz", "!options->lower_uclz"},
    {"udot_2x16_uadd", 0, "options->has_dot_2x16", "options->has_dot_2x16"},
    {"udot_2x16_uadd_sat", 0, "options->has_dot_2x16", "options->has_dot_2x16"},
    {"udot_4x8_uadd", 0, "options->has_udot_4x8", "options->has_udot_4x8"},
    {"udot_4x8_uadd_sat", 0, "options->has_udot_4x8_sat", "options->has_udot_4x8"},
    {"ufind_msb", 0, "!options->lower_ufind_msb", "!options->lower_find_msb_to_reverse"},
    {"ufind_msb_rev", 0, "options->has_find_msb_rev", "options->has_find_msb_rev"},
    {"uhadd", 0, "!options->lower_hadd", "!options->lower_hadd"},
    {"umad24", 0, "options->has_umad24", "options->has_umad24"},
    {"umad24_relaxed", 0, "options->has_umad24", "options->has_umad24"},
    {"umax", 0, "!options->lower_umax", "!options->lower_umax"},
    {"umin", 0, "!options->lower_umin", "!options->lower_umin"},
    {"umul24", 0, "options->has_umul24", "options->has_umul24"},
    {"umul24_relaxed", 0, "options->has_umul24", "options->has_umul24"},
    {"umul_2x32_64", 0, "!options->lower_mul_2x32_64", "!options->lower_mul_2x32_64"},
    {"umul_32x16", 0, "!options->lower_mul_32x16", "!options->lower_mul_32x16"},
    {"umul_high", 0, "!options->lower_mul_high", "!options->lower_mul_high"},
    {"unpack_32_2x16_split_x", 0, "!options->lower_unpack_32_2x16_split", "!options->lower_unpack_32_2x16_split"},
    {"unpack_32_2x16_split_y", 0, "!options->lower_unpack_32_2x16_split", "!options->lower_unpack_32_2x16_split"},
    {"unpack_64_2x32_split_x", 0, "!options->lower_unpack_64_2x32_split", "!options->lower_unpack_64_2x32_split"},
    {"unpack_64_2x32_split_y", 0, "!options->lower_unpack_64_2x32_split", "!options->lower_unpack_64_2x32_split"},
    {"unpack_half_2x16", 0, "!options->lower_unpack_half_2x16", "!options->lower_unpack_half_2x16"},
    {"unpack_half_2x16_split_x", 0, "!options->lower_pack_split", "!options->lower_pack_split"},
    {"unpack_half_2x16_split_y", 0, "!options->lower_pack_split", "!options->lower_pack_split"},
    {"unpack_snorm_2x16", 0, "!options->lower_unpack_snorm_2x16", "!options->lower_unpack_snorm_2x16"},
    {"unpack_snorm_4x8", 0, "!options->lower_unpack_snorm_4x8", "!options->lower_unpack_snorm_4x8"},
    {"unpack_unorm_2x16", 0, "!options->lower_unpack_unorm_2x16", "!options->lower_unpack_unorm_2x16"},
    {"unpack_unorm_4x8", 0, "!options->lower_unpack_unorm_4x8", "!options->lower_unpack_unorm_4x8"},
    {"urhadd", 0, "!options->lower_hadd", "!options->lower_hadd"},
    {"urol", 8, "options->has_rotate8", "?"},
    {"urol", 16, "options->has_rotate16", "?"},
    {"urol", 32, "options->has_rotate32", "!options->lower_rotate"},
    {"urol", 64, "?", "?"},
    {"uror", 8, "options->has_rotate8", "?"},
    {"uror", 16, "options->has_rotate16", "?"},
    {"uror", 32, "options->has_rotate32", "!options->lower_rotate"},
    {"uror", 64, "?", "?"},
    {"usub_borrow", 0, "!options->lower_usub_borrow", "!options->lower_usub_borrow"},
    {"usub_sat", 0, "!options->lower_usub_sat", "!options->lower_usub_sat"},
};

// Fused or un-canonical forms, which nir_opt_algebraic_late makes; the main list would undo them or never see them.
constexpr absl::string_view kLateOps[] = {
    "amul",
    "bfi",
    "bfm",
    "bitfield_select",
    "bitnz",
    "bitz",
    "extract_i16",
    "extract_i8",
    "extract_u16",
    "extract_u8",
    "fcsel",
    "fcsel_ge",
    "fcsel_gt",
    "fequ",
    "ffma",
    "ffmaz",
    "fgeu",
    "fltu",
    "fneo",
    "ford",
    "fsub",
    "funord",
    "i32csel_ge",
    "i32csel_gt",
    "iadd3",
    "ibfe",
    "icsel_eqz",
    "imad",
    "imul24",
    "imul24_relaxed",
    "imul_32x16",
    "insert_u16",
    "insert_u8",
    "isub",
    "shfr",
    "ubfe",
    "uclz",
    "umad24",
    "umad24_relaxed",
    "umul24",
    "umul24_relaxed",
    "umul_32x16",
    "urol",
    "uror",
};

// Ops of one driver, by the ending of their name, and the machines that are that driver's.
struct DriverOps {
  absl::string_view ending, machines;
};
constexpr DriverOps kDriverOps[] = {{"_agx", "agx"}, {"_amd", "rdna"}, {"_ir3", "ir3"}, {"_mdg", "midgard"},
                                    {"_nv", "sm"},   {"_v3d", "v3d"},  {"_vc4", "vc4"}, {"_dxil", "dxil"}};

bool Contains(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool EndsWith(absl::string_view text, absl::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

}  // namespace

absl::string_view NirTarget::name() const { return version_ == MesaVersion::k22_3 ? "mesa-22.3" : "mesa-25.0"; }

bool NirTarget::HasOp(absl::string_view op) const {
  return version_ == MesaVersion::k25_0 || !Contains(kOpsOnlyIn25, op);
}

bool NirTarget::HasPredicate(absl::string_view predicate) const {
  return version_ == MesaVersion::k25_0 || !Contains(kPredicatesOnlyIn25, predicate);
}

bool NirTarget::HasOption(absl::string_view field) const {
  return Contains(kOptionsInBoth, field) ||
         (version_ == MesaVersion::k25_0 ? Contains(kOptionsOnlyIn25, field) : Contains(kOptionsOnlyIn22, field));
}

OpGuard NirTarget::GuardOf(absl::string_view op, int bits, absl::string_view machine) const {
  if (!HasOp(op)) return {false, absl::StrCat(name(), " has no op ", op)};
  for (const DriverOps& driver : kDriverOps) {
    if (!EndsWith(op, driver.ending)) continue;
    if (machine.substr(0, driver.machines.size()) == driver.machines) return {true, ""};
    return {false, absl::StrCat(op, " is an op of one driver (", driver.machines, ") that this pack is not for")};
  }
  for (const GuardRow& row : kGuards) {
    if (row.op != op || (row.bits != 0 && row.bits != bits)) continue;
    const absl::string_view text = version_ == MesaVersion::k25_0 ? row.in_25 : row.in_22;
    if (text == "?")
      return {false, absl::StrCat("no option of ", name(), " says whether a driver takes ", op, "@", bits)};
    return {true, std::string(text)};
  }
  return {true, ""};
}

bool NirTarget::IsLate(absl::string_view op) {
  if (Contains(kLateOps, op)) return true;
  return std::any_of(std::begin(kDriverOps), std::end(kDriverOps),
                     [&](const DriverOps& driver) { return EndsWith(op, driver.ending); });
}

std::vector<std::string> NirTarget::GuardFields() const {
  std::vector<std::string> fields = {"lower_doubles_options", "lower_int64_options"};
  for (const GuardRow& row : kGuards) {
    for (std::string& field : OptionFields(version_ == MesaVersion::k25_0 ? row.in_25 : row.in_22)) {
      fields.push_back(std::move(field));
    }
  }
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  return fields;
}

std::vector<std::string> OptionFields(absl::string_view condition) {
  constexpr absl::string_view kPrefix = "options->";
  std::vector<std::string> fields;
  for (size_t at = condition.find(kPrefix); at != absl::string_view::npos; at = condition.find(kPrefix, at)) {
    at += kPrefix.size();
    size_t end = at;
    while (end < condition.size() && (absl::ascii_isalnum(condition[end]) || condition[end] == '_')) ++end;
    fields.emplace_back(condition.substr(at, end - at));
  }
  return fields;
}

absl::StatusOr<NirTarget> FindNirTarget(absl::string_view name) {
  for (const MesaVersion version : {MesaVersion::k22_3, MesaVersion::k25_0}) {
    if (NirTarget(version).name() == name) return NirTarget(version);
  }
  return absl::NotFoundError(absl::StrCat("no target is called '", name, "'; there are mesa-22.3 and mesa-25.0"));
}

}  // namespace rewrought::emitter
