-- The corpus: shaders (each content once), their occurrences, and their fragments. Ids in these tables are local to one
-- database; digests and names are valid across databases.

CREATE TABLE strings (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  held_out INTEGER NOT NULL CHECK (held_out IN (0, 1))
) STRICT;

CREATE TABLE shaders (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  stage TEXT NOT NULL,
  alu_instructions INTEGER NOT NULL,
  extraction BLOB NOT NULL CHECK (length(extraction) = 32)  -- digest of reader, baseline and extraction options
) STRICT;

CREATE TABLE occurrences (
  shader_id INTEGER NOT NULL REFERENCES shaders,
  source_id INTEGER NOT NULL REFERENCES sources,
  name TEXT NOT NULL,
  PRIMARY KEY (shader_id, source_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX occurrences_by_source ON occurrences (source_id);

-- A shader belongs to the discovery split if any of its sources does.
CREATE VIEW shader_splits AS
  SELECT shader_id, min(held_out) AS held_out
  FROM occurrences JOIN sources ON sources.id = source_id GROUP BY shader_id;

CREATE TABLE notes (
  shader_id INTEGER NOT NULL REFERENCES shaders,
  note_id INTEGER NOT NULL REFERENCES strings,
  count INTEGER NOT NULL,
  PRIMARY KEY (shader_id, note_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fragments (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),  -- of text
  text TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  variables INTEGER NOT NULL,
  widths TEXT NOT NULL
) STRICT;

-- The occurrences of a fragment in a shader that have the same combination of marks, survivors, and facts.
CREATE TABLE sites (
  fragment_id INTEGER NOT NULL REFERENCES fragments,
  shader_id INTEGER NOT NULL REFERENCES shaders,
  marks INTEGER NOT NULL,
  survivors INTEGER NOT NULL,
  facts_id INTEGER NOT NULL REFERENCES strings,
  count INTEGER NOT NULL,
  loop_weight INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (fragment_id, shader_id, marks, survivors, facts_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sites_by_shader ON sites (shader_id);
