-- Claims that an installation has verified itself, stored as MACs under the installation's own secret
-- (verified_store.h). Merging is safe, because a MAC under another secret has no effect.
CREATE TABLE verified (
  mac BLOB PRIMARY KEY CHECK (length(mac) = 32)
) STRICT, WITHOUT ROWID;
