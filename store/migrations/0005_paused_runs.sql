-- Runs that a budget or an interrupt ended are paused. Previously they remained in the state running.

UPDATE runs SET state = 6, ended = updated WHERE state = 2 AND message LIKE 'ended by %';
