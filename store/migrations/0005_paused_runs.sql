-- Runs that a budget or an interrupt ended are paused; before, they stood as running for ever.

UPDATE runs SET state = 6, ended = updated WHERE state = 2 AND message LIKE 'ended by %';
