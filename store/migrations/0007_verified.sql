-- What installations verified themselves: MACs under their own secrets (verified_store.h). No merge has to believe them:
-- one that another secret made says nothing here.
CREATE TABLE verified (
  mac BLOB PRIMARY KEY CHECK (length(mac) = 32)
) STRICT, WITHOUT ROWID;
