-- Attempts, candidates, and their verdicts.

CREATE TABLE attempts (
  fragment_id INTEGER NOT NULL REFERENCES fragments,
  machine_id INTEGER NOT NULL REFERENCES strings,
  semantics BLOB NOT NULL CHECK (length(semantics) = 32),
  search BLOB NOT NULL CHECK (length(search) = 32),  -- digest of the search's configuration
  outcome INTEGER NOT NULL,
  enumerated INTEGER NOT NULL,
  candidates INTEGER NOT NULL,
  milliseconds REAL NOT NULL,
  PRIMARY KEY (fragment_id, machine_id, semantics, search)
) STRICT, WITHOUT ROWID;

CREATE TABLE candidates (
  id BLOB PRIMARY KEY CHECK (length(id) = 32),  -- digest of canonical rule text and machine
  machine_id INTEGER NOT NULL REFERENCES strings,
  fragment_id INTEGER REFERENCES fragments,     -- NULL: enumerated without a corpus
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX candidates_by_fragment ON candidates (fragment_id);

CREATE TABLE verdicts (
  rule BLOB NOT NULL CHECK (length(rule) = 32),
  case_id INTEGER NOT NULL REFERENCES strings,
  semantics BLOB NOT NULL CHECK (length(semantics) = 32),
  verdict INTEGER NOT NULL,  -- the higher wins: unknown, unsupported, vacuous, proved, refuted
  tier TEXT NOT NULL,
  reason TEXT NOT NULL,
  confirmed_by TEXT NOT NULL,
  witness BLOB NOT NULL,
  certificate BLOB NOT NULL,
  milliseconds REAL NOT NULL,
  PRIMARY KEY (rule, case_id, semantics)
) STRICT;

-- Cases that were both proved and refuted under the same semantics, because of a verifier bug. Rows are never deleted.
CREATE TABLE contradictions (
  rule BLOB NOT NULL CHECK (length(rule) = 32),
  case_id INTEGER NOT NULL REFERENCES strings,
  semantics BLOB NOT NULL CHECK (length(semantics) = 32),
  PRIMARY KEY (rule, case_id, semantics)
) STRICT, WITHOUT ROWID;

CREATE TABLE counterexamples (
  fragment_id INTEGER NOT NULL REFERENCES fragments,
  vector TEXT NOT NULL,
  PRIMARY KEY (fragment_id, vector)
) STRICT, WITHOUT ROWID;
