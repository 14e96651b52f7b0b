-- Schema 6. When a person is asked later: until when a request is held, and why; and whom the owner does not want to hear for a while.

ALTER TABLE tasks ADD COLUMN held_until INTEGER;
ALTER TABLE tasks ADD COLUMN held_why TEXT CHECK (held_why IN ('paused', 'quiet_hours', 'muted', 'person'));

CREATE TABLE mutes (
  party TEXT PRIMARY KEY NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  CHECK (until > since)
) STRICT, WITHOUT ROWID;
