-- What a driver made of a machine's rules together, by the last trial. 0008_trials.sql has each rule's part.
CREATE TABLE driver_trials (
  driver TEXT NOT NULL,
  machine TEXT NOT NULL,
  detail BLOB NOT NULL,
  PRIMARY KEY (driver, machine)
) STRICT, WITHOUT ROWID;
