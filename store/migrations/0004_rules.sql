-- Proved rules, their savings and hits, and the changes that each run made to rules.

CREATE TABLE rules (
  id BLOB PRIMARY KEY CHECK (length(id) = 32),
  machine TEXT NOT NULL,
  search TEXT NOT NULL,
  replace TEXT NOT NULL,
  program TEXT NOT NULL,
  condition TEXT NOT NULL,
  flags INTEGER NOT NULL,
  class INTEGER NOT NULL,
  state INTEGER NOT NULL,
  reason TEXT NOT NULL,
  generalised_from BLOB CHECK (length(generalised_from) = 32),
  fragment BLOB CHECK (length(fragment) = 32),
  semantics BLOB NOT NULL CHECK (length(semantics) = 32),
  created_run TEXT REFERENCES runs,
  created INTEGER NOT NULL,
  detail BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX rules_by_machine ON rules (machine, id);

CREATE TABLE rule_ops (
  op TEXT NOT NULL,
  rule BLOB NOT NULL REFERENCES rules ON DELETE CASCADE,
  PRIMARY KEY (op, rule)
) STRICT, WITHOUT ROWID;

CREATE INDEX rule_ops_by_rule ON rule_ops (rule);

CREATE TABLE measurements (
  rule BLOB NOT NULL REFERENCES rules ON DELETE CASCADE,
  split INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  shaders INTEGER NOT NULL,
  sources INTEGER NOT NULL,
  base_instructions REAL NOT NULL,
  base_cycles REAL NOT NULL,
  strong_instructions REAL NOT NULL,
  strong_cycles REAL NOT NULL,
  PRIMARY KEY (rule, split)
) STRICT, WITHOUT ROWID;

CREATE TABLE hits (
  rule BLOB NOT NULL REFERENCES rules ON DELETE CASCADE,
  shader_id INTEGER NOT NULL REFERENCES shaders,
  hits INTEGER NOT NULL,
  saved_instructions REAL NOT NULL,
  saved_cycles REAL NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (rule, shader_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX hits_by_shader ON hits (shader_id);

CREATE TABLE run_changes (
  run TEXT NOT NULL REFERENCES runs,
  rule BLOB NOT NULL REFERENCES rules,
  state INTEGER NOT NULL,
  PRIMARY KEY (run, rule)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_changes_by_rule ON run_changes (rule);
