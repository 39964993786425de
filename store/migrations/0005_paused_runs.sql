-- Sets runs that a budget or an interrupt ended to the state paused. Previously, such runs remained in the state
-- running.

UPDATE runs SET state = 6, ended = updated WHERE state = 2 AND message LIKE 'ended by %';
