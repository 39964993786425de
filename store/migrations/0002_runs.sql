-- Runs, with their configurations, their progress, and the positions from which to resume.

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  config TEXT NOT NULL,
  state INTEGER NOT NULL,
  message TEXT NOT NULL,
  funnel TEXT NOT NULL,      -- JSON, checked when written
  cursor BLOB NOT NULL,
  started INTEGER NOT NULL,  -- microseconds since 1970, UTC
  updated INTEGER NOT NULL,
  ended INTEGER              -- NULL: it has not
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_by_start ON runs (started);
