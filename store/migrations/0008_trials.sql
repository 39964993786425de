-- The effects of rules in real compilers: the last trial of each rule on each driver.
CREATE TABLE trials (
  rule BLOB NOT NULL REFERENCES rules ON DELETE CASCADE,
  driver TEXT NOT NULL,
  detail BLOB NOT NULL,
  PRIMARY KEY (rule, driver)
) STRICT, WITHOUT ROWID;
