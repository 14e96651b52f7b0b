-- Schema 3. The household's rules, and which one decided a request.

CREATE TABLE rules (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  effect TEXT NOT NULL CHECK (effect IN ('ask', 'allow', 'never')),
  reach TEXT NOT NULL CHECK (reach IN ('conversation', 'until', 'always')),
  -- What it is about; null = any.
  peer TEXT,
  agent TEXT,
  domain TEXT,
  kind TEXT CHECK (kind IN ('delegate', 'query')),
  asking_agent TEXT,
  topic TEXT,
  conversation TEXT,
  -- No rule covers a dangerous request, whatever a program asks of this table.
  risk_max TEXT CHECK (risk_max IN ('R0', 'R1', 'R2')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  idle_ms INTEGER,
  last_used_at INTEGER,
  suspended INTEGER NOT NULL CHECK (suspended IN (0, 1)),
  made_on TEXT NOT NULL CHECK (made_on IN ('card', 'rules')),
  made_by TEXT NOT NULL,
  approval_id TEXT,
  uses INTEGER NOT NULL,
  ended_at INTEGER,
  ended_why TEXT CHECK (ended_why IN ('removed', 'expired', 'peer_gone', 'agent_gone')),
  CHECK ((ended_at IS NULL) = (ended_why IS NULL)),
  CHECK ((effect = 'allow') = (risk_max IS NOT NULL)),
  CHECK (effect <> 'allow' OR (peer IS NOT NULL AND agent IS NOT NULL AND domain IS NOT NULL))
) STRICT;

CREATE INDEX rules_current ON rules (seq) WHERE ended_at IS NULL;
CREATE INDEX rules_about ON rules (peer, seq) WHERE ended_at IS NULL;
CREATE INDEX rules_ended ON rules (seq) WHERE ended_at IS NOT NULL;

CREATE TRIGGER rules_content BEFORE UPDATE ON rules
WHEN NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.effect IS NOT OLD.effect OR NEW.reach IS NOT OLD.reach OR NEW.peer IS NOT OLD.peer
  OR NEW.agent IS NOT OLD.agent OR NEW.domain IS NOT OLD.domain OR NEW.kind IS NOT OLD.kind OR NEW.asking_agent IS NOT OLD.asking_agent
  OR NEW.topic IS NOT OLD.topic OR NEW.conversation IS NOT OLD.conversation OR NEW.risk_max IS NOT OLD.risk_max
  OR NEW.created_at IS NOT OLD.created_at OR NEW.expires_at IS NOT OLD.expires_at OR NEW.idle_ms IS NOT OLD.idle_ms
  OR NEW.made_on IS NOT OLD.made_on OR NEW.made_by IS NOT OLD.made_by OR NEW.approval_id IS NOT OLD.approval_id
BEGIN
  SELECT RAISE(ABORT, 'what a rule covers never changes');
END;

-- Only what a person took away can be given back.
CREATE TRIGGER rules_over BEFORE UPDATE ON rules
WHEN OLD.ended_why IS NOT NULL AND OLD.ended_why <> 'removed' AND NEW.ended_why IS NOT OLD.ended_why
BEGIN
  SELECT RAISE(ABORT, 'a rule that is over stays over');
END;

CREATE TRIGGER rules_kept BEFORE DELETE ON rules
BEGIN
  SELECT RAISE(ABORT, 'a rule is never deleted');
END;

ALTER TABLE approvals ADD COLUMN rule_id TEXT REFERENCES rules (id);
