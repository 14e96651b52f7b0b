-- Schema 12. The words of what ended long ago can be removed, and nothing else of it: a task and its approval keep their ids, digests, state and
-- code for ever, so that a repeated message is still known. There is one way to it, the setting of `purged_at`, once, which must leave no word
-- and change nothing besides. Messages are removed whole, once no task needs them, and a conversation goes with its last message.

ALTER TABLE tasks ADD COLUMN purged_at INTEGER CHECK (purged_at IS NULL OR payload = '');
ALTER TABLE approvals ADD COLUMN purged_at INTEGER CHECK (purged_at IS NULL OR view = '');

CREATE INDEX tasks_ended ON tasks (finished_at, seq) WHERE purged_at IS NULL AND finished_at IS NOT NULL;
CREATE INDEX messages_at ON messages (at, seq);
CREATE INDEX deliveries_finished ON deliveries (finished_at, seq) WHERE finished_at IS NOT NULL;
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX feed_at ON feed (at, seq);

DROP TRIGGER IF EXISTS tasks_identity;
CREATE TRIGGER tasks_identity BEFORE UPDATE ON tasks
WHEN NEW.purged_at IS OLD.purged_at
  AND (NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.direction IS NOT OLD.direction OR NEW.kind IS NOT OLD.kind
    OR NEW.party IS NOT OLD.party OR NEW.message_id IS NOT OLD.message_id OR NEW.content_digest IS NOT OLD.content_digest
    OR NEW.payload IS NOT OLD.payload)
BEGIN
  SELECT RAISE(ABORT, 'what was asked of a task never changes');
END;

DROP TRIGGER IF EXISTS tasks_terminal;
CREATE TRIGGER tasks_terminal BEFORE UPDATE ON tasks
WHEN NEW.purged_at IS OLD.purged_at
  AND OLD.state IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  AND (NEW.state IS NOT OLD.state OR NEW.result IS NOT OLD.result OR NEW.code IS NOT OLD.code OR NEW.reason IS NOT OLD.reason
    OR NEW.finished_at IS NOT OLD.finished_at)
BEGIN
  SELECT RAISE(ABORT, 'a finished task never changes');
END;

-- What still waits with it (a card, an item of an inbox, a message for another hub) keeps its words, too.
CREATE TRIGGER tasks_purged BEFORE UPDATE ON tasks
WHEN NEW.purged_at IS NOT OLD.purged_at AND (
  OLD.purged_at IS NOT NULL OR OLD.state NOT IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  OR NEW.payload IS NOT '' OR NEW.result IS NOT NULL OR NEW.reason IS NOT NULL
  OR NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.direction IS NOT OLD.direction OR NEW.kind IS NOT OLD.kind
  OR NEW.party IS NOT OLD.party OR NEW.message_id IS NOT OLD.message_id OR NEW.content_digest IS NOT OLD.content_digest
  OR NEW.state IS NOT OLD.state OR NEW.revision IS NOT OLD.revision OR NEW.from_agent IS NOT OLD.from_agent
  OR NEW.to_agent IS NOT OLD.to_agent OR NEW.domain IS NOT OLD.domain OR NEW.conversation_id IS NOT OLD.conversation_id
  OR NEW.report_back IS NOT OLD.report_back OR NEW.urgent IS NOT OLD.urgent OR NEW.received_at IS NOT OLD.received_at
  OR NEW.deadline_ms IS NOT OLD.deadline_ms OR NEW.elapsed_ms IS NOT OLD.elapsed_ms OR NEW.elapsed_at IS NOT OLD.elapsed_at
  OR NEW.estimated_ms IS NOT OLD.estimated_ms OR NEW.code IS NOT OLD.code OR NEW.taken_back IS NOT OLD.taken_back
  OR NEW.cancel_answer IS NOT OLD.cancel_answer OR NEW.wait_ms IS NOT OLD.wait_ms OR NEW.held_until IS NOT OLD.held_until
  OR NEW.held_why IS NOT OLD.held_why OR NEW.finished_at IS NOT OLD.finished_at
  OR EXISTS (SELECT 1 FROM approvals WHERE task_id = OLD.id AND state = 'pending')
  OR EXISTS (SELECT 1 FROM deliveries WHERE task_id = OLD.id AND state <> 'done')
  OR EXISTS (SELECT 1 FROM messages JOIN outbox ON outbox.party = messages.party AND outbox.message_id = messages.message_id
    WHERE messages.task_id = OLD.id AND messages.direction = 'out' AND outbox.settled_at IS NULL))
BEGIN
  SELECT RAISE(ABORT, 'only the words of a task that is over in every respect are removed, and only once');
END;

DROP TRIGGER IF EXISTS approvals_content;
CREATE TRIGGER approvals_content BEFORE UPDATE ON approvals
WHEN NEW.purged_at IS OLD.purged_at
  AND (NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.task_id IS NOT OLD.task_id OR NEW.revision IS NOT OLD.revision
    OR NEW.digest IS NOT OLD.digest OR NEW.view IS NOT OLD.view OR NEW.risk_class IS NOT OLD.risk_class
    OR NEW.created_at IS NOT OLD.created_at)
BEGIN
  SELECT RAISE(ABORT, 'what a person was asked never changes');
END;

DROP TRIGGER IF EXISTS approvals_decided;
CREATE TRIGGER approvals_decided BEFORE UPDATE ON approvals
WHEN NEW.purged_at IS OLD.purged_at AND OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a decision never changes');
END;

-- Of what a person answered remains that they did: the words are empty, never missing.
CREATE TRIGGER approvals_purged BEFORE UPDATE ON approvals
WHEN NEW.purged_at IS NOT OLD.purged_at AND (
  OLD.purged_at IS NOT NULL OR OLD.state = 'pending' OR NEW.view IS NOT ''
  OR NEW.reason IS NOT (CASE OLD.state WHEN 'answered' THEN '' END)
  OR NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.task_id IS NOT OLD.task_id OR NEW.revision IS NOT OLD.revision
  OR NEW.digest IS NOT OLD.digest OR NEW.state IS NOT OLD.state OR NEW.risk_class IS NOT OLD.risk_class
  OR NEW.created_at IS NOT OLD.created_at OR NEW.expires_at IS NOT OLD.expires_at OR NEW.decided_at IS NOT OLD.decided_at
  OR NEW.decided_by IS NOT OLD.decided_by OR NEW.surface IS NOT OLD.surface OR NEW.decided_seq IS NOT OLD.decided_seq
  OR NEW.rule_id IS NOT OLD.rule_id
  OR NOT EXISTS (SELECT 1 FROM tasks WHERE id = OLD.task_id AND purged_at IS NOT NULL))
BEGIN
  SELECT RAISE(ABORT, 'only the words of an approval whose task has none any more are removed, and only once');
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
