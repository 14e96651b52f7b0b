-- Schema 2. The key of a repeated request stands in `replays` alone. What waits for another hub is given up after so much time that this hub
-- has run, which no change of the wall clock touches. And an agent's class is known to be its owner's word, or nobody's yet.

DROP INDEX tasks_idempotency;
ALTER TABLE tasks DROP COLUMN idempotency_key;

ALTER TABLE outbox RENAME COLUMN expires_at TO expires_at_uptime_ms;
-- The count of the time run begins with this schema: what waits now has a whole day from here.
UPDATE outbox SET expires_at_uptime_ms = 86400000;

ALTER TABLE agents ADD COLUMN class_by_owner INTEGER NOT NULL DEFAULT 0 CHECK (class_by_owner IN (0, 1));
-- R2 is what every new agent has: any other class was somebody's choice.
UPDATE agents SET class_by_owner = 1 WHERE risk_class <> 'R2';
