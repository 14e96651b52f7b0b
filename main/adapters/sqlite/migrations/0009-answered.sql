-- Schema 9. What a person answered instead of letting an agent do it is a state of its own. Until now it was "approved" with the answer as its
-- reason, which nothing else that was let in has. A check of a column cannot be changed, so the table is made anew with every row as it was;
-- no other table names it.

CREATE TABLE approvals_made_anew (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  task_id TEXT NOT NULL REFERENCES tasks (id),
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  view TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'answered', 'declined', 'expired', 'cancelled')),
  risk_class TEXT NOT NULL CHECK (risk_class IN ('R0', 'R1', 'R2', 'R3')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  surface TEXT,
  -- Of one that is answered: the answer.
  reason TEXT,
  -- Order of decisions, from 1; null while pending.
  decided_seq INTEGER UNIQUE,
  rule_id TEXT REFERENCES rules (id),
  -- Only a person answers, and whoever answers says something; what is let in for an agent has no words of a decision.
  CHECK (state <> 'answered' OR (reason IS NOT NULL AND rule_id IS NULL)),
  CHECK (state <> 'approved' OR reason IS NULL)
) STRICT;

INSERT INTO approvals_made_anew (seq, id, task_id, revision, digest, view, state, risk_class, created_at, expires_at, decided_at, decided_by,
  surface, reason, decided_seq, rule_id)
SELECT seq, id, task_id, revision, digest, view, CASE WHEN state = 'approved' AND reason IS NOT NULL THEN 'answered' ELSE state END,
  risk_class, created_at, expires_at, decided_at, decided_by, surface, reason, decided_seq, rule_id
FROM approvals ORDER BY seq;

DROP TABLE approvals;
ALTER TABLE approvals_made_anew RENAME TO approvals;

CREATE INDEX approvals_task ON approvals (task_id, seq);
CREATE INDEX approvals_pending ON approvals (seq) WHERE state = 'pending';
-- What people decided lately and what rules decided lately are two lists: neither is read through the other.
CREATE INDEX approvals_by_people ON approvals (decided_seq) WHERE rule_id IS NULL AND decided_seq IS NOT NULL;
CREATE INDEX approvals_by_rules ON approvals (decided_seq) WHERE rule_id IS NOT NULL AND decided_seq IS NOT NULL;

CREATE TRIGGER approvals_content BEFORE UPDATE ON approvals
WHEN NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.task_id IS NOT OLD.task_id OR NEW.revision IS NOT OLD.revision
  OR NEW.digest IS NOT OLD.digest OR NEW.view IS NOT OLD.view OR NEW.risk_class IS NOT OLD.risk_class
  OR NEW.created_at IS NOT OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'what a person was asked never changes');
END;

CREATE TRIGGER approvals_decided BEFORE UPDATE ON approvals
WHEN OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a decision never changes');
END;

CREATE TRIGGER approvals_kept BEFORE DELETE ON approvals
BEGIN
  SELECT RAISE(ABORT, 'an approval is never deleted');
END;
