-- Schema 14. What a removal of words looked at and left, and from when on it is kept: its end, or, where that was written by a clock that was
-- behind, the time at which it was first seen. Goes with its row, and with the words of its task.

CREATE TABLE looked_through (
  kind TEXT NOT NULL CHECK (kind IN ('tasks', 'messages', 'deliveries', 'feed')),
  seq INTEGER NOT NULL,
  kept_from INTEGER NOT NULL,
  PRIMARY KEY (kind, seq)
) STRICT, WITHOUT ROWID;
