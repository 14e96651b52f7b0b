-- Schema 5. Why a task is being taken back, and what the other hub said to that, as words of their own: a sentence for people decides nothing.
-- And a card's question to the record, what of a request is new, is a search in an index.

ALTER TABLE tasks ADD COLUMN taken_back TEXT CHECK (taken_back IN ('called_off', 'hung_up', 'hub_restarted'));
ALTER TABLE tasks ADD COLUMN cancel_answer TEXT CHECK (cancel_answer IN ('asked_to_stop', 'not_taken'));

UPDATE tasks SET taken_back = CASE
  WHEN kind = 'delegate' THEN 'called_off'
  WHEN reason = 'Whoever asked stopped waiting for the answer.' THEN 'hung_up'
  ELSE 'hub_restarted'
END WHERE state = 'cancelling';

CREATE INDEX tasks_alike ON tasks (party, from_agent, to_agent, domain, kind, seq, state) WHERE direction <> 'outgoing';
