-- Inputs on which candidates failed are kept with verdicts, as witnesses; this table of 0003_search.sql stayed empty.
DROP TABLE counterexamples;
