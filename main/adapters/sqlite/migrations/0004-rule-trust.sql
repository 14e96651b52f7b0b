-- Schema 4. Under which pairing (or which agent of this hub) a rule was made: the moment written there, kept as its name and compared for
-- sameness alone, so that a clock that was wrong on that day kills no rule and revives none.

ALTER TABLE rules ADD COLUMN trusted_since INTEGER;

UPDATE rules SET trusted_since = CASE
  WHEN peer = 'agent:@owner' THEN 0
  WHEN peer LIKE 'agent:%' THEN (SELECT created_at FROM agents WHERE agents.name = substr(rules.peer, 7) AND agents.created_at <= rules.created_at)
  ELSE (SELECT paired_at FROM peers WHERE peers.key = rules.peer AND peers.paired_at <= rules.created_at)
END WHERE peer IS NOT NULL;

CREATE TRIGGER rules_trust BEFORE UPDATE ON rules
WHEN NEW.trusted_since IS NOT OLD.trusted_since
BEGIN
  SELECT RAISE(ABORT, 'what a rule covers never changes');
END;

-- What people decided lately and what rules decided lately are two lists: neither is read through the other.
CREATE INDEX approvals_by_people ON approvals (decided_seq) WHERE rule_id IS NULL AND decided_seq IS NOT NULL;
CREATE INDEX approvals_by_rules ON approvals (decided_seq) WHERE rule_id IS NOT NULL AND decided_seq IS NOT NULL;
