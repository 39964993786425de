-- Drops a table of 0003_search.sql that always stayed empty, because the inputs on which candidates fail are stored as
-- the witnesses of verdicts.
DROP TABLE counterexamples;
