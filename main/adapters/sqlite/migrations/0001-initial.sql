-- The first schema. Names of columns are those of ports/store.ts in snake_case. Times are ms since 1970 by the wall clock unless a name says
-- otherwise. Ids are UUIDs as their 16 bytes, or text. Long text (payload, result, body, raw, reply, view) is deflated (RFC 1951); no bytes
-- for none. Sequence numbers never repeat (AUTOINCREMENT), so that a cursor stays true after rows are gone.

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
  revoked_at INTEGER,
  -- How a person let it in: by which way, who, and where.
  introduced_way TEXT NOT NULL CHECK (introduced_way IN ('digits', 'invitation_made_here', 'invitation_used_here', 'share_token', 'key')),
  introduced_by TEXT NOT NULL,
  introduced_surface TEXT NOT NULL,
  role TEXT CHECK (role IN ('adult', 'child', 'guest', 'shared'))
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
  last_call_at INTEGER,
  -- 1: its owner chose the class; 0: nobody has yet.
  class_by_owner INTEGER NOT NULL CHECK (class_by_owner IN (0, 1))
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

-- Parties, agents and areas: columns that say so hold the number of one.
CREATE TABLE names (
  number INTEGER PRIMARY KEY NOT NULL,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TRIGGER names_unchanged BEFORE UPDATE ON names
BEGIN
  SELECT RAISE(ABORT, 'a name keeps its number');
END;

CREATE TRIGGER names_kept BEFORE DELETE ON names
BEGIN
  SELECT RAISE(ABORT, 'a name keeps its number');
END;

-- Delegations, and queries. Rows are never deleted: their ids answer replays for ever. `party`, both agents and `domain` are
-- numbers of names.
CREATE TABLE tasks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id ANY NOT NULL UNIQUE,
  direction TEXT NOT NULL CHECK (direction IN ('incoming', 'outgoing', 'local')),
  kind TEXT NOT NULL CHECK (kind IN ('delegate', 'query')),
  party INTEGER NOT NULL,
  message_id ANY NOT NULL,
  content_digest BLOB NOT NULL CHECK (length(content_digest) = 32),
  state TEXT NOT NULL,
  revision INTEGER NOT NULL,
  from_agent INTEGER,
  to_agent INTEGER,
  domain INTEGER,
  conversation_id ANY NOT NULL,
  payload BLOB NOT NULL,
  report_back INTEGER NOT NULL CHECK (report_back IN (0, 1)),
  urgent INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  received_at INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  elapsed_at INTEGER NOT NULL,
  estimated_ms INTEGER,
  result BLOB,
  code TEXT,
  reason TEXT,
  finished_at INTEGER,
  -- Of what another hub was asked: what was decided there, as JSON.
  decision TEXT,
  cancel_cause TEXT CHECK (cancel_cause IN ('cancelled', 'hung_up', 'hub_restarted')),
  cancel_answer TEXT CHECK (cancel_answer IN ('asked_to_stop', 'not_taken')),
  held_until INTEGER,
  held_why TEXT CHECK (held_why IN ('paused', 'quiet_hours', 'muted', 'person')),
  wait_ms INTEGER CHECK (wait_ms > 0),
  -- When its words were removed; the rest of the row stays.
  purged_at INTEGER CHECK (purged_at IS NULL OR payload = x''),
  UNIQUE (message_id, party, direction)
) STRICT;

CREATE INDEX tasks_open ON tasks (state) WHERE finished_at IS NULL;
CREATE INDEX tasks_conversation ON tasks (conversation_id);
-- An agent's own tasks: those it sent from here, and those it runs here. A peer's agent of the same name is somebody else.
CREATE INDEX tasks_sent ON tasks (from_agent) WHERE direction <> 'incoming';
CREATE INDEX tasks_run ON tasks (to_agent) WHERE direction <> 'outgoing';
CREATE INDEX tasks_alike ON tasks (party, from_agent, to_agent, domain, kind) WHERE direction <> 'outgoing';
CREATE INDEX tasks_ended ON tasks (finished_at) WHERE purged_at IS NULL AND finished_at IS NOT NULL;

CREATE TRIGGER tasks_identity BEFORE UPDATE ON tasks
WHEN (NEW.seq, NEW.id, NEW.direction, NEW.kind, NEW.party, NEW.message_id, NEW.content_digest)
    IS NOT (OLD.seq, OLD.id, OLD.direction, OLD.kind, OLD.party, OLD.message_id, OLD.content_digest)
  OR (NEW.purged_at IS OLD.purged_at AND NEW.payload IS NOT OLD.payload)
BEGIN
  SELECT RAISE(ABORT, 'what was asked of a task never changes');
END;

CREATE TRIGGER tasks_terminal BEFORE UPDATE ON tasks
WHEN OLD.state IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  AND ((NEW.state, NEW.code, NEW.finished_at) IS NOT (OLD.state, OLD.code, OLD.finished_at)
    OR (NEW.purged_at IS OLD.purged_at AND (NEW.result, NEW.reason) IS NOT (OLD.result, OLD.reason)))
BEGIN
  SELECT RAISE(ABORT, 'a finished task never changes');
END;

CREATE TRIGGER tasks_purged BEFORE UPDATE ON tasks
WHEN NEW.purged_at IS NOT OLD.purged_at AND (
  OLD.purged_at IS NOT NULL OR OLD.state NOT IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  OR NEW.payload IS NOT x'' OR NEW.result IS NOT NULL OR NEW.reason IS NOT NULL
  OR (NEW.revision, NEW.from_agent, NEW.to_agent, NEW.domain, NEW.conversation_id, NEW.report_back, NEW.urgent, NEW.received_at,
    NEW.deadline_ms, NEW.elapsed_ms, NEW.elapsed_at, NEW.estimated_ms, NEW.cancel_cause, NEW.cancel_answer, NEW.wait_ms, NEW.held_until,
    NEW.held_why)
    IS NOT (OLD.revision, OLD.from_agent, OLD.to_agent, OLD.domain, OLD.conversation_id, OLD.report_back, OLD.urgent, OLD.received_at,
    OLD.deadline_ms, OLD.elapsed_ms, OLD.elapsed_at, OLD.estimated_ms, OLD.cancel_cause, OLD.cancel_answer, OLD.wait_ms, OLD.held_until,
    OLD.held_why)
  OR EXISTS (SELECT 1 FROM approvals WHERE task_id = OLD.id AND state = 'pending')
  OR EXISTS (SELECT 1 FROM deliveries WHERE task_id = OLD.id AND state <> 'done')
  OR EXISTS (SELECT 1 FROM outbox JOIN messages ON messages.message_id = outbox.message_id AND messages.party = outbox.party
    WHERE outbox.settled_at IS NULL AND messages.direction = 'out' AND messages.task_id = OLD.id))
BEGIN
  SELECT RAISE(ABORT, 'only the words of a task that is over in every respect are removed, and only once');
END;

-- The durable inbox of each local agent. `agent` is the number of a name.
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id ANY NOT NULL UNIQUE,
  agent INTEGER NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'claimed', 'running', 'done', 'dead')),
  task_id ANY REFERENCES tasks (id),
  conversation_id ANY,
  urgency INTEGER NOT NULL CHECK (urgency IN (0, 1, 2)),
  body BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  lease_until_wall_ms INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;

CREATE INDEX deliveries_agent ON deliveries (agent, state);
CREATE INDEX deliveries_queue ON deliveries (agent, urgency DESC) WHERE state = 'queued';
CREATE INDEX deliveries_conversation ON deliveries (agent, conversation_id, state, urgency DESC) WHERE finished_at IS NULL;
CREATE INDEX deliveries_task ON deliveries (task_id, kind) WHERE task_id IS NOT NULL;
CREATE INDEX deliveries_lease ON deliveries (lease_until_wall_ms) WHERE state = 'claimed';
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- What crossed the wire, and what agents of this hub said to each other. `party` and both agents are numbers of
-- names.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id ANY NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('in', 'out', 'local')),
  party INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref ANY,
  conversation_id ANY,
  task_id ANY,
  from_agent INTEGER,
  to_agent INTEGER,
  at INTEGER NOT NULL,
  -- Null where its words are those of its task.
  payload BLOB,
  UNIQUE (message_id, direction, party)
) STRICT;

CREATE INDEX messages_conversation ON messages (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX messages_party ON messages (party);
CREATE INDEX messages_at ON messages (at);

CREATE TRIGGER messages_conversations AFTER INSERT ON messages
WHEN NEW.conversation_id IS NOT NULL
BEGIN
  INSERT INTO conversations (conversation_id, party, first_at, last_at, last_seq, messages)
  VALUES (NEW.conversation_id, NEW.party, NEW.at, NEW.at, NEW.seq, 1)
  ON CONFLICT (conversation_id) DO UPDATE SET
    party = CASE WHEN (SELECT name FROM names WHERE number = party) LIKE 'agent:%' THEN NEW.party ELSE party END,
    last_at = NEW.at,
    last_seq = NEW.seq,
    messages = messages + 1;
END;

CREATE TRIGGER messages_unchanged BEFORE UPDATE ON messages
BEGIN
  SELECT RAISE(ABORT, 'what was said never changes');
END;

CREATE TRIGGER messages_kept BEFORE DELETE ON messages
WHEN EXISTS (SELECT 1 FROM tasks WHERE id = OLD.task_id AND purged_at IS NULL)
  OR (OLD.direction = 'out'
    AND EXISTS (SELECT 1 FROM outbox WHERE party = OLD.party AND message_id = OLD.message_id AND settled_at IS NULL))
BEGIN
  SELECT RAISE(ABORT, 'a message stays as long as its task has words, and until whoever it is for has it');
END;

CREATE TRIGGER messages_removed AFTER DELETE ON messages
WHEN OLD.conversation_id IS NOT NULL
BEGIN
  DELETE FROM conversations WHERE conversation_id = OLD.conversation_id AND messages = 1;
  UPDATE conversations SET
    messages = messages - 1,
    first_at = (SELECT at FROM messages WHERE conversation_id = OLD.conversation_id ORDER BY seq LIMIT 1),
    last_at = (SELECT at FROM messages WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1),
    last_seq = (SELECT seq FROM messages WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1)
  WHERE conversation_id = OLD.conversation_id;
END;

-- The words of messages, each without case and accents (lib/text-words.ts), to find them again: rowid is the seq of the message. Which words
-- there are stands here, and no text. How far it goes is in meta, "search"; what was removed leaves the file when the index is merged.
CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, detail=none, prefix='3 4', tokenize='ascii');

CREATE TRIGGER messages_forgotten AFTER DELETE ON messages
BEGIN
  DELETE FROM search WHERE rowid = OLD.seq;
END;

-- One row a conversation, kept by triggers on messages, so that the list never has to count messages. `party` is the number of a name.
CREATE TABLE conversations (
  conversation_id ANY PRIMARY KEY NOT NULL,
  -- Who it is with: the first party seen, a hub before an agent of this hub.
  party INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL UNIQUE,
  messages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Notices for people.
CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id ANY NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  party TEXT,
  from_agent TEXT,
  topic TEXT NOT NULL,
  importance TEXT NOT NULL CHECK (importance IN ('low', 'medium', 'high')),
  data TEXT NOT NULL,
  read_at INTEGER,
  -- A notice takes the place of its sender's earlier one of the same tag.
  tag TEXT
) STRICT;

CREATE INDEX feed_unread ON feed (seq) WHERE read_at IS NULL;
CREATE INDEX feed_at ON feed (at);
CREATE INDEX feed_tag ON feed (party, tag) WHERE tag IS NOT NULL;

-- What the household does not want to hear about: notices of these are kept, and count as read.
CREATE TABLE muted_topics (
  id ANY PRIMARY KEY NOT NULL,
  party TEXT NOT NULL,
  topic TEXT NOT NULL,
  UNIQUE (party, topic)
) STRICT;

-- What must still reach a peer; once it has, the row stays for a while without its text. `party` is the number of a name.
CREATE TABLE outbox (
  message_id ANY NOT NULL,
  party INTEGER NOT NULL,
  kind TEXT NOT NULL,
  raw BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at_uptime_ms INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (party, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_party ON outbox (party, created_at) WHERE settled_at IS NULL;
CREATE INDEX outbox_expiry ON outbox (expires_at_uptime_ms) WHERE settled_at IS NULL;
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;

-- What was answered to ids that must never be done twice. `party` is the number of a name.
CREATE TABLE replays (
  party INTEGER NOT NULL,
  message_id ANY NOT NULL,
  content_digest BLOB NOT NULL CHECK (length(content_digest) = 32),
  reply BLOB,
  at INTEGER NOT NULL,
  PRIMARY KEY (party, message_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER replays_answer BEFORE UPDATE ON replays
WHEN (NEW.party, NEW.message_id, NEW.content_digest) IS NOT (OLD.party, OLD.message_id, OLD.content_digest)
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
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  monotonic_ms INTEGER,
  rule TEXT
) STRICT;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.seq NOT BETWEEN 1 AND 281474976710655
  OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM audit WHERE seq BETWEEN 1 AND 281474976710655)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: its rows are written at its end');
END;

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
  -- The pairing (or agent of this hub) it was made under, by the moment written there; compared for sameness alone.
  trusted_since INTEGER,
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

CREATE TRIGGER rules_trust BEFORE UPDATE ON rules
WHEN NEW.trusted_since IS NOT OLD.trusted_since
BEGIN
  SELECT RAISE(ABORT, 'what a rule covers never changes');
END;

CREATE TABLE mutes (
  party TEXT PRIMARY KEY NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  CHECK (until > since)
) STRICT, WITHOUT ROWID;

-- What questions and tasks cost, by what the agents said who did them.
CREATE TABLE token_use (
  party INTEGER NOT NULL,
  -- Days since 1970, UTC.
  day INTEGER NOT NULL,
  -- Used by agents of this hub for that party, and by agents of that party for this hub.
  here INTEGER NOT NULL,
  there INTEGER NOT NULL,
  PRIMARY KEY (party, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_signatures (
  counter INTEGER PRIMARY KEY NOT NULL,
  -- The counter of the signature before; 0 for the first.
  previous INTEGER NOT NULL CHECK (previous < counter),
  -- The last row that it covers, and the chain there.
  seq INTEGER NOT NULL,
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  at INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) = 64),
  signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

CREATE TRIGGER audit_signatures_unchanged BEFORE UPDATE ON audit_signatures
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_signatures_kept BEFORE DELETE ON audit_signatures
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_signatures_in_order BEFORE INSERT ON audit_signatures
WHEN NEW.counter NOT BETWEEN 1 AND 281474976710655
  OR NEW.previous <> (SELECT coalesce(max(counter), 0) FROM audit_signatures WHERE counter BETWEEN 1 AND 281474976710655)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: a signature follows the one before');
END;

-- What a person was asked, and what was decided.
CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id ANY NOT NULL UNIQUE,
  task_id ANY NOT NULL REFERENCES tasks (id),
  revision INTEGER NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  -- What was shown, to the letter.
  view BLOB NOT NULL,
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
  purged_at INTEGER CHECK (purged_at IS NULL OR view = x''),
  -- Only a person answers, and whoever answers says something; what is allowed for an agent has no words of a decision.
  CHECK (state <> 'answered' OR (reason IS NOT NULL AND rule_id IS NULL)),
  CHECK (state <> 'approved' OR reason IS NULL)
) STRICT;

CREATE INDEX approvals_task ON approvals (task_id);
CREATE INDEX approvals_pending ON approvals (seq) WHERE state = 'pending';
CREATE INDEX approvals_by_people ON approvals (decided_seq) WHERE rule_id IS NULL AND decided_seq IS NOT NULL;
CREATE INDEX approvals_by_rules ON approvals (decided_seq) WHERE rule_id IS NOT NULL AND decided_seq IS NOT NULL;

CREATE TRIGGER approvals_kept BEFORE DELETE ON approvals
BEGIN
  SELECT RAISE(ABORT, 'an approval is never deleted');
END;

CREATE TRIGGER approvals_content BEFORE UPDATE ON approvals
WHEN (NEW.seq, NEW.id, NEW.task_id, NEW.revision, NEW.digest, NEW.risk_class, NEW.created_at)
    IS NOT (OLD.seq, OLD.id, OLD.task_id, OLD.revision, OLD.digest, OLD.risk_class, OLD.created_at)
  OR (NEW.purged_at IS OLD.purged_at AND NEW.view IS NOT OLD.view)
BEGIN
  SELECT RAISE(ABORT, 'what a person was asked never changes');
END;

CREATE TRIGGER approvals_decided BEFORE UPDATE ON approvals
WHEN NEW.purged_at IS OLD.purged_at AND OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a decision never changes');
END;

CREATE TRIGGER approvals_purged BEFORE UPDATE ON approvals
WHEN NEW.purged_at IS NOT OLD.purged_at AND (
  OLD.purged_at IS NOT NULL OR OLD.state = 'pending' OR NEW.view IS NOT x''
  OR NEW.reason IS NOT (CASE OLD.state WHEN 'answered' THEN '' END)
  OR (NEW.state, NEW.expires_at, NEW.decided_at, NEW.decided_by, NEW.surface, NEW.decided_seq, NEW.rule_id)
    IS NOT (OLD.state, OLD.expires_at, OLD.decided_at, OLD.decided_by, OLD.surface, OLD.decided_seq, OLD.rule_id)
  OR NOT EXISTS (SELECT 1 FROM tasks WHERE id = OLD.task_id AND purged_at IS NOT NULL))
BEGIN
  SELECT RAISE(ABORT, 'only the words of an approval whose task has none any more are removed, and only once');
END;
