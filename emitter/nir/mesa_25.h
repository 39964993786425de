/* Defines Mesa 26's names for Mesa 25. */
#define nir_alu_instr_no_reassoc(alu) ((alu)->exact)
#define nir_def_instr(def) ((def)->parent_instr)
#define nir_src_use_if nir_src_parent_if
#define nir_src_use_instr nir_src_parent_instr
typedef struct hash_table search_state;
