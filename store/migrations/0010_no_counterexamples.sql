-- Inputs on which candidates failed are stored with verdicts as witnesses; this table of 0003_search.sql stayed
-- empty.
DROP TABLE counterexamples;
