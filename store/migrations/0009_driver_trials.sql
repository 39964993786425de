-- The combined effect of a machine's rules on a driver, from the last trial. The table of 0008_trials.sql contains the
-- effect of each rule.
CREATE TABLE driver_trials (
  driver TEXT NOT NULL,
  machine TEXT NOT NULL,
  detail BLOB NOT NULL,
  PRIMARY KEY (driver, machine)
) STRICT, WITHOUT ROWID;
