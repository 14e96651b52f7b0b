-- Schema 7. The audit's chain covers the bytes of every column, and signatures stand beside it (ports/audit.ts). Before this runs, in the same
-- transaction, rechain-audit.ts took the audit's guards off and made the chain anew; they are put back here.

ALTER TABLE audit ADD COLUMN monotonic_ms INTEGER;
ALTER TABLE audit ADD COLUMN rule TEXT;

CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM audit)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: its rows are written at its end');
END;

CREATE TABLE audit_seals (
  counter INTEGER PRIMARY KEY NOT NULL,
  -- The counter of the seal before; 0 for the first.
  previous INTEGER NOT NULL CHECK (previous < counter),
  -- The last row that it covers, and the chain there.
  seq INTEGER NOT NULL,
  chain BLOB NOT NULL CHECK (length(chain) = 32),
  at INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) = 64),
  signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

CREATE TRIGGER audit_seals_unchanged BEFORE UPDATE ON audit_seals
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_seals_kept BEFORE DELETE ON audit_seals
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TRIGGER audit_seals_in_order BEFORE INSERT ON audit_seals
WHEN NEW.previous <> (SELECT coalesce(max(counter), 0) FROM audit_seals)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: a seal follows the one before');
END;
