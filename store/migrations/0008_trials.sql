-- What real compilers made of a rule: one row for each driver on which it was tried last.
CREATE TABLE trials (
  rule BLOB NOT NULL REFERENCES rules ON DELETE CASCADE,
  driver TEXT NOT NULL,
  detail BLOB NOT NULL,
  PRIMARY KEY (rule, driver)
) STRICT, WITHOUT ROWID;
