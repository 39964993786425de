-- Renames columns to the names that the program uses.
ALTER TABLE sites RENAME COLUMN marks TO node_flags;
ALTER TABLE sites RENAME COLUMN survivors TO multi_use;
ALTER TABLE runs RENAME COLUMN funnel TO run_statistics;
ALTER TABLE measurements RENAME COLUMN base_instructions TO naive_instructions;
ALTER TABLE measurements RENAME COLUMN base_cycles TO naive_cycles;
ALTER TABLE measurements RENAME COLUMN strong_instructions TO tuned_instructions;
ALTER TABLE measurements RENAME COLUMN strong_cycles TO tuned_cycles;
