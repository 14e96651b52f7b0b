-- Schema 1. Names of columns are those of ports/store.ts in snake_case. Times are ms since 1970 by the wall clock unless a name says
-- otherwise. Sequence numbers never repeat (AUTOINCREMENT), so that a cursor stays true after rows are gone.

CREATE TABLE meta (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which database this is: a restored or replaced file shows by it.
INSERT INTO meta (name, value) VALUES ('database_id', lower(hex(randomblob(16))));

CREATE TABLE peers (
  key TEXT PRIMARY KEY NOT NULL CHECK (length(key) = 64),
  agent_id TEXT NOT NULL,
  petname TEXT NOT NULL,
  person TEXT,
  trust TEXT NOT NULL CHECK (trust IN ('paired', 'suspended', 'revoked')),
  advertised_name TEXT,
  platform TEXT,
  features TEXT NOT NULL,
  extensions TEXT NOT NULL,
  highest_version INTEGER NOT NULL,
  static_host TEXT,
  static_port INTEGER,
  last_host TEXT,
  last_port INTEGER,
  last_seen_at INTEGER,
  capabilities TEXT,
  capabilities_at INTEGER,
  paired_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- A revoked hub stays as a tombstone; its name may be given to the machine that replaces it.
CREATE UNIQUE INDEX peers_petname ON peers (petname) WHERE trust <> 'revoked';

CREATE TABLE agents (
  name TEXT PRIMARY KEY NOT NULL,
  display_name TEXT NOT NULL,
  dialect TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('requested', 'active')),
  risk_class TEXT NOT NULL CHECK (risk_class IN ('R0', 'R1', 'R2', 'R3')),
  domains TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  channels TEXT NOT NULL,
  tools TEXT NOT NULL,
  topics TEXT NOT NULL,
  model TEXT,
  concurrency INTEGER NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  created_at INTEGER NOT NULL,
  last_call_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE registrations (
  id TEXT PRIMARY KEY NOT NULL,
  secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
  code TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'declined')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'ui', 'owner')),
  agent TEXT,
  secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
  scopes TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER,
  idle_expires_after_ms INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  direction TEXT NOT NULL CHECK (direction IN ('incoming', 'outgoing', 'local')),
  kind TEXT NOT NULL CHECK (kind IN ('delegate', 'query')),
  party TEXT NOT NULL,
  message_id TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  state TEXT NOT NULL,
  revision INTEGER NOT NULL,
  from_agent TEXT,
  to_agent TEXT,
  domain TEXT,
  conversation_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  report_back INTEGER NOT NULL CHECK (report_back IN (0, 1)),
  urgent INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  received_at INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  elapsed_at INTEGER NOT NULL,
  estimated_ms INTEGER,
  result TEXT,
  code TEXT,
  reason TEXT,
  finished_at INTEGER,
  idempotency_key TEXT,
  UNIQUE (direction, party, message_id)
) STRICT;

CREATE INDEX tasks_state ON tasks (state, seq);
CREATE INDEX tasks_conversation ON tasks (conversation_id, seq);
-- An agent's own tasks: those it sent from here, and those it runs here. A peer's agent of the same name is somebody else.
CREATE INDEX tasks_sent ON tasks (from_agent, seq) WHERE direction <> 'incoming';
CREATE INDEX tasks_run ON tasks (to_agent, seq) WHERE direction <> 'outgoing';
CREATE INDEX tasks_idempotency ON tasks (from_agent, idempotency_key, seq) WHERE idempotency_key IS NOT NULL;

CREATE TRIGGER tasks_identity BEFORE UPDATE ON tasks
WHEN NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.direction IS NOT OLD.direction OR NEW.kind IS NOT OLD.kind
  OR NEW.party IS NOT OLD.party OR NEW.message_id IS NOT OLD.message_id OR NEW.content_digest IS NOT OLD.content_digest
  OR NEW.payload IS NOT OLD.payload
BEGIN
  SELECT RAISE(ABORT, 'what was asked of a task never changes');
END;

CREATE TRIGGER tasks_terminal BEFORE UPDATE ON tasks
WHEN OLD.state IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  AND (NEW.state IS NOT OLD.state OR NEW.result IS NOT OLD.result OR NEW.code IS NOT OLD.code OR NEW.reason IS NOT OLD.reason
    OR NEW.finished_at IS NOT OLD.finished_at)
BEGIN
  SELECT RAISE(ABORT, 'a finished task never changes');
END;

CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  task_id TEXT NOT NULL REFERENCES tasks (id),
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  view TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'declined', 'expired', 'cancelled')),
  risk_class TEXT NOT NULL CHECK (risk_class IN ('R0', 'R1', 'R2', 'R3')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  surface TEXT,
  reason TEXT,
  -- Order of decisions, from 1; null while pending.
  decided_seq INTEGER UNIQUE
) STRICT;

CREATE INDEX approvals_task ON approvals (task_id, seq);
CREATE INDEX approvals_pending ON approvals (seq) WHERE state = 'pending';

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

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('delegate', 'query', 'notify', 'result', 'cancel')),
  state TEXT NOT NULL CHECK (state IN ('queued', 'claimed', 'running', 'done', 'dead')),
  task_id TEXT REFERENCES tasks (id),
  conversation_id TEXT,
  urgency INTEGER NOT NULL CHECK (urgency IN (0, 1, 2)),
  body TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  lease_until_wall_ms INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;

CREATE INDEX deliveries_agent ON deliveries (agent, state, seq);
CREATE INDEX deliveries_queue ON deliveries (agent, urgency DESC, seq) WHERE state = 'queued';
CREATE INDEX deliveries_conversation ON deliveries (agent, conversation_id, state, urgency DESC, seq);
CREATE INDEX deliveries_task ON deliveries (task_id, kind, seq) WHERE task_id IS NOT NULL;
CREATE INDEX deliveries_lease ON deliveries (lease_until_wall_ms) WHERE state = 'claimed';

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('in', 'out', 'local')),
  party TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT,
  conversation_id TEXT,
  task_id TEXT,
  from_agent TEXT,
  to_agent TEXT,
  raw TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (message_id, direction, party)
) STRICT;

CREATE INDEX messages_conversation ON messages (conversation_id, seq) WHERE conversation_id IS NOT NULL;
CREATE INDEX messages_task ON messages (task_id, seq) WHERE task_id IS NOT NULL;
CREATE INDEX messages_party ON messages (party, seq);

-- One row a conversation, kept by the trigger below, so that the list never has to count messages.
CREATE TABLE conversations (
  conversation_id TEXT PRIMARY KEY NOT NULL,
  -- Who it is with: the first party seen, a hub before an agent of this hub.
  party TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL UNIQUE,
  messages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER messages_conversations AFTER INSERT ON messages
WHEN NEW.conversation_id IS NOT NULL
BEGIN
  INSERT INTO conversations (conversation_id, party, first_at, last_at, last_seq, messages)
  VALUES (NEW.conversation_id, NEW.party, NEW.at, NEW.at, NEW.seq, 1)
  ON CONFLICT (conversation_id) DO UPDATE SET
    party = CASE WHEN party LIKE 'agent:%' THEN NEW.party ELSE party END,
    last_at = NEW.at,
    last_seq = NEW.seq,
    messages = messages + 1;
END;

CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  party TEXT,
  from_agent TEXT,
  topic TEXT NOT NULL,
  importance TEXT NOT NULL CHECK (importance IN ('low', 'medium', 'high')),
  data TEXT NOT NULL,
  read_at INTEGER
) STRICT;

CREATE INDEX feed_unread ON feed (seq) WHERE read_at IS NULL;

CREATE TABLE outbox (
  message_id TEXT NOT NULL,
  party TEXT NOT NULL,
  kind TEXT NOT NULL,
  raw TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (party, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_party ON outbox (party, created_at) WHERE settled_at IS NULL;
CREATE INDEX outbox_expiry ON outbox (expires_at) WHERE settled_at IS NULL;

CREATE TABLE replays (
  party TEXT NOT NULL,
  message_id TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  reply TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (party, message_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER replays_answer BEFORE UPDATE ON replays
WHEN NEW.party IS NOT OLD.party OR NEW.message_id IS NOT OLD.message_id OR NEW.content_digest IS NOT OLD.content_digest
  OR (OLD.reply IS NOT NULL AND NEW.reply IS NOT OLD.reply)
BEGIN
  SELECT RAISE(ABORT, 'what was answered to an id never changes');
END;

CREATE TRIGGER replays_kept BEFORE DELETE ON replays
BEGIN
  SELECT RAISE(ABORT, 'what was answered to an id is never forgotten');
END;

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  surface TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  digest TEXT,
  detail TEXT NOT NULL,
  -- SHA-256 over the chain of the row before and this row: a changed or missing row shows.
  chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
