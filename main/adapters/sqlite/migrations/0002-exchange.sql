-- One exchange is one row: what was asked, what was decided, how it ended and both texts. It takes two places in the order of all that was
-- said: `seq` is that of the question, `answer_seq` that of the answer, and both are of one sequence with `messages`. So `messages` keeps what
-- is neither. What was stored before this step stays where it is: requests up to the number in meta, "exchanges_after", are messages, too.

-- asked: what the rest of the row does not say.
ALTER TABLE tasks ADD COLUMN asked_person TEXT;
-- What set the end of its time.
ALTER TABLE tasks ADD COLUMN deadline_by TEXT CHECK (deadline_by IN ('asker', 'default', 'hub', 'person'));

-- verdict: whom it waits for, then what was decided, by whom (a name; none where nobody was asked), where (the number of a hub's name; null
-- is here), on which surface, by which rule, as what, and when.
ALTER TABLE tasks ADD COLUMN waits_for TEXT CHECK (waits_for IN ('person', 'peer', 'adult'));
ALTER TABLE tasks ADD COLUMN verdict TEXT
  CHECK (verdict IN ('allowed', 'declined', 'answered', 'chosen', 'passed', 'expired', 'withdrawn'));
ALTER TABLE tasks ADD COLUMN verdict_by TEXT;
ALTER TABLE tasks ADD COLUMN verdict_hub INTEGER;
ALTER TABLE tasks ADD COLUMN verdict_surface TEXT;
ALTER TABLE tasks ADD COLUMN verdict_rule TEXT;
ALTER TABLE tasks ADD COLUMN verdict_as TEXT CHECK (verdict_as IN ('owner', 'adult'));
ALTER TABLE tasks ADD COLUMN verdict_at INTEGER;

-- handed over to `to_agent`: when it first was, how many times, and to which agent that one handed it on.
ALTER TABLE tasks ADD COLUMN handed_at INTEGER;
ALTER TABLE tasks ADD COLUMN handed_times INTEGER;
ALTER TABLE tasks ADD COLUMN handed_on_to INTEGER;

-- stop: who asked for it (the number of a hub or an agent, or a person's name), when, when the agent had it, and whether it obeyed.
ALTER TABLE tasks ADD COLUMN stop_party INTEGER;
ALTER TABLE tasks ADD COLUMN stop_person TEXT;
ALTER TABLE tasks ADD COLUMN stop_at INTEGER;
ALTER TABLE tasks ADD COLUMN stop_reached_at INTEGER;
ALTER TABLE tasks ADD COLUMN stop_obeyed INTEGER CHECK (stop_obeyed IN (0, 1));

-- end: by whom, which kind of end, and what it cost, besides state, code, reason, time and the result, in which the agent's own words and data
-- stand whole.
ALTER TABLE tasks ADD COLUMN ended_by TEXT CHECK (ended_by IN ('agent', 'person', 'clock', 'hub'));
ALTER TABLE tasks ADD COLUMN ended_kind TEXT CHECK (ended_kind IN ('completed', 'partial', 'failed', 'refused', 'offered', 'hub_refused',
  'not_understood', 'cancelled', 'stopped', 'timed_out', 'possibly_executed', 'hub_removed'));
ALTER TABLE tasks ADD COLUMN tokens INTEGER;

-- told: when the asker's hub took the answer.
ALTER TABLE tasks ADD COLUMN told_at INTEGER;

-- answer: the message that told the end, in the words of the result. `answer_from` is the number of an agent's name, null for no agent's word.
ALTER TABLE tasks ADD COLUMN answer_seq INTEGER CHECK (answer_seq > seq);
ALTER TABLE tasks ADD COLUMN answer_id ANY;
ALTER TABLE tasks ADD COLUMN answer_kind TEXT;
ALTER TABLE tasks ADD COLUMN answer_from INTEGER;
ALTER TABLE tasks ADD COLUMN answer_at INTEGER;

CREATE INDEX tasks_answered ON tasks (conversation_id, answer_seq) WHERE answer_seq IS NOT NULL AND purged_at IS NULL;
CREATE INDEX tasks_received ON tasks (received_at) WHERE purged_at IS NULL;
CREATE UNIQUE INDEX tasks_answer ON tasks (answer_seq) WHERE answer_seq IS NOT NULL AND purged_at IS NULL;
DROP INDEX messages_party;

-- One sequence for both: the one of `messages`. No number comes twice.
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages');
UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM sqlite_sequence WHERE name IN ('messages', 'tasks')) WHERE name = 'messages';
INSERT INTO meta (name, value) SELECT 'exchanges_after', CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = 'messages';

-- All that was said, in its order. The parts have the same types, so that SQLite merges them row by row. The plus keeps the number in meta
-- out of the index: a reader that goes on behind a place begins there, and not at that number.
CREATE VIEW said AS
SELECT seq, message_id, direction, party, kind, ref, conversation_id, task_id, from_agent, to_agent, payload, at FROM messages
UNION ALL
SELECT seq, message_id, CAST(CASE direction WHEN 'incoming' THEN 'in' WHEN 'outgoing' THEN 'out' ELSE 'local' END AS TEXT), party, kind,
  CAST(NULL AS BLOB), conversation_id, id, from_agent, to_agent, CAST(NULL AS BLOB), received_at
FROM tasks WHERE purged_at IS NULL AND +seq > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'exchanges_after')
UNION ALL
SELECT answer_seq, answer_id, CAST(CASE direction WHEN 'incoming' THEN 'out' WHEN 'outgoing' THEN 'in' ELSE 'local' END AS TEXT), party,
  answer_kind, message_id, conversation_id, id, answer_from, from_agent, CAST(NULL AS BLOB), answer_at
FROM tasks WHERE purged_at IS NULL AND answer_seq IS NOT NULL;

CREATE TRIGGER tasks_said AFTER INSERT ON tasks
BEGIN
  UPDATE sqlite_sequence SET seq = max(seq, NEW.seq, coalesce(NEW.answer_seq, 0)) WHERE name = 'messages';
  INSERT INTO conversations (conversation_id, party, first_at, last_at, last_seq, messages)
  VALUES (NEW.conversation_id, NEW.party, NEW.received_at, coalesce(NEW.answer_at, NEW.received_at), coalesce(NEW.answer_seq, NEW.seq),
    iif(NEW.answer_seq IS NULL, 1, 2))
  ON CONFLICT (conversation_id) DO UPDATE SET
    party = CASE WHEN (SELECT name FROM names WHERE number = party) LIKE 'agent:%' THEN NEW.party ELSE party END,
    last_at = excluded.last_at,
    last_seq = excluded.last_seq,
    messages = messages + excluded.messages;
END;

CREATE TRIGGER tasks_answer_said AFTER UPDATE OF answer_seq ON tasks
WHEN OLD.answer_seq IS NULL AND NEW.answer_seq IS NOT NULL
BEGIN
  UPDATE sqlite_sequence SET seq = max(seq, NEW.answer_seq) WHERE name = 'messages';
  INSERT INTO conversations (conversation_id, party, first_at, last_at, last_seq, messages)
  VALUES (NEW.conversation_id, NEW.party, NEW.answer_at, NEW.answer_at, NEW.answer_seq, 1)
  ON CONFLICT (conversation_id) DO UPDATE SET
    last_at = excluded.last_at,
    last_seq = excluded.last_seq,
    messages = messages + 1;
END;

-- An exchange without words is not in its conversation any more.
CREATE TRIGGER tasks_forgotten AFTER UPDATE OF purged_at ON tasks
WHEN OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL
BEGIN
  DELETE FROM search WHERE rowid = OLD.seq AND OLD.seq > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'exchanges_after');
  DELETE FROM search WHERE rowid = OLD.answer_seq;
  UPDATE conversations SET messages = messages - iif(OLD.answer_seq IS NULL, 0, 1)
    - (OLD.seq > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'exchanges_after'))
  WHERE conversation_id = OLD.conversation_id;
  DELETE FROM conversations WHERE conversation_id = OLD.conversation_id AND messages <= 0;
  -- What is removed is mostly the oldest: the next one is looked for behind it, not from the beginning again. With its number beside it,
  -- SQLite merges the parts of the view and sorts nothing.
  UPDATE conversations SET first_at = coalesce(
    (SELECT at FROM (SELECT seq, at FROM said WHERE conversation_id = OLD.conversation_id AND seq > OLD.seq ORDER BY seq LIMIT 1)), first_at)
  WHERE conversation_id = OLD.conversation_id AND first_at >= OLD.received_at;
  UPDATE conversations SET
    last_at = (SELECT at FROM (SELECT seq, at FROM said WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1)),
    last_seq = (SELECT seq FROM said WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1)
  WHERE conversation_id = OLD.conversation_id AND last_seq IN (OLD.seq, OLD.answer_seq);
END;

DROP TRIGGER messages_removed;
CREATE TRIGGER messages_removed AFTER DELETE ON messages
WHEN OLD.conversation_id IS NOT NULL
BEGIN
  DELETE FROM conversations WHERE conversation_id = OLD.conversation_id AND messages = 1;
  UPDATE conversations SET messages = messages - 1 WHERE conversation_id = OLD.conversation_id;
  UPDATE conversations SET first_at = coalesce(
    (SELECT at FROM (SELECT seq, at FROM said WHERE conversation_id = OLD.conversation_id AND seq > OLD.seq ORDER BY seq LIMIT 1)), first_at)
  WHERE conversation_id = OLD.conversation_id AND first_at >= OLD.at;
  UPDATE conversations SET
    last_at = (SELECT at FROM (SELECT seq, at FROM said WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1)),
    last_seq = (SELECT seq FROM said WHERE conversation_id = OLD.conversation_id ORDER BY seq DESC LIMIT 1)
  WHERE conversation_id = OLD.conversation_id AND last_seq = OLD.seq;
END;

DROP TRIGGER tasks_identity;
CREATE TRIGGER tasks_identity BEFORE UPDATE ON tasks
WHEN (NEW.seq, NEW.id, NEW.direction, NEW.kind, NEW.party, NEW.message_id, NEW.content_digest, NEW.from_agent, NEW.to_agent, NEW.domain,
    NEW.conversation_id, NEW.report_back, NEW.urgent, NEW.received_at, NEW.deadline_ms, NEW.asked_person, NEW.deadline_by)
  IS NOT (OLD.seq, OLD.id, OLD.direction, OLD.kind, OLD.party, OLD.message_id, OLD.content_digest, OLD.from_agent, OLD.to_agent, OLD.domain,
    OLD.conversation_id, OLD.report_back, OLD.urgent, OLD.received_at, OLD.deadline_ms, OLD.asked_person, OLD.deadline_by)
  OR (NEW.purged_at IS OLD.purged_at AND NEW.payload IS NOT OLD.payload)
BEGIN
  SELECT RAISE(ABORT, 'what was asked of a task never changes');
END;

CREATE TRIGGER tasks_once BEFORE UPDATE ON tasks
WHEN (OLD.answer_seq IS NOT NULL
    AND (NEW.answer_seq, NEW.answer_id, NEW.answer_kind, NEW.answer_from, NEW.answer_at)
    IS NOT (OLD.answer_seq, OLD.answer_id, OLD.answer_kind, OLD.answer_from, OLD.answer_at))
  OR (OLD.verdict IS NOT NULL
    AND (NEW.verdict, NEW.verdict_by, NEW.verdict_hub, NEW.verdict_surface, NEW.verdict_rule, NEW.verdict_as, NEW.verdict_at)
    IS NOT (OLD.verdict, OLD.verdict_by, OLD.verdict_hub, OLD.verdict_surface, OLD.verdict_rule, OLD.verdict_as, OLD.verdict_at))
  OR (OLD.ended_kind IS NOT NULL AND (NEW.ended_by, NEW.ended_kind, NEW.tokens) IS NOT (OLD.ended_by, OLD.ended_kind, OLD.tokens))
  OR (OLD.handed_at IS NOT NULL AND NEW.handed_at IS NOT OLD.handed_at)
  OR (OLD.stop_at IS NOT NULL AND (NEW.stop_party, NEW.stop_person, NEW.stop_at) IS NOT (OLD.stop_party, OLD.stop_person, OLD.stop_at))
  OR (OLD.stop_reached_at IS NOT NULL AND NEW.stop_reached_at IS NOT OLD.stop_reached_at)
  OR (OLD.stop_obeyed IS NOT NULL AND NEW.stop_obeyed IS NOT OLD.stop_obeyed)
  OR (OLD.told_at IS NOT NULL AND NEW.told_at IS NOT OLD.told_at)
BEGIN
  SELECT RAISE(ABORT, 'what was decided of a task, and how it ended, never changes');
END;

DROP TRIGGER tasks_purged;
CREATE TRIGGER tasks_purged BEFORE UPDATE ON tasks
WHEN NEW.purged_at IS NOT OLD.purged_at AND (
  OLD.purged_at IS NOT NULL OR OLD.state NOT IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
  OR NEW.payload IS NOT x'' OR NEW.result IS NOT NULL OR NEW.reason IS NOT NULL
  OR (NEW.revision, NEW.elapsed_ms, NEW.elapsed_at, NEW.estimated_ms, NEW.cancel_cause, NEW.cancel_answer, NEW.wait_ms, NEW.held_until,
    NEW.held_why)
    IS NOT (OLD.revision, OLD.elapsed_ms, OLD.elapsed_at, OLD.estimated_ms, OLD.cancel_cause, OLD.cancel_answer, OLD.wait_ms, OLD.held_until,
    OLD.held_why)
  OR EXISTS (SELECT 1 FROM approvals WHERE task_id = OLD.id AND state = 'pending')
  OR EXISTS (SELECT 1 FROM deliveries WHERE task_id = OLD.id AND state <> 'done')
  OR EXISTS (SELECT 1 FROM outbox WHERE party = OLD.party AND message_id = OLD.answer_id AND settled_at IS NULL)
  OR EXISTS (SELECT 1 FROM outbox JOIN messages ON messages.message_id = outbox.message_id AND messages.party = outbox.party
    WHERE outbox.settled_at IS NULL AND messages.direction = 'out' AND messages.task_id = OLD.id))
BEGIN
  SELECT RAISE(ABORT, 'only the words of a task that is over in every respect are removed, and only once');
END;
