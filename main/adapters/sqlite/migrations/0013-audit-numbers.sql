-- Schema 13. The audit's guards count only rows and signatures under numbers that a hub gives (AUDIT_NUMBER_MAX in ports/audit.ts): one that
-- another program put below or above them keeps no hub from writing the next one, and none is put there while the guards stand.

DROP TRIGGER IF EXISTS audit_in_order;
CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.seq NOT BETWEEN 1 AND 281474976710655
  OR NEW.seq <= (SELECT coalesce(max(seq), 0) FROM audit WHERE seq BETWEEN 1 AND 281474976710655)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: its rows are written at its end');
END;

DROP TRIGGER IF EXISTS audit_seals_in_order;
CREATE TRIGGER audit_seals_in_order BEFORE INSERT ON audit_seals
WHEN NEW.counter NOT BETWEEN 1 AND 281474976710655
  OR NEW.previous <> (SELECT coalesce(max(counter), 0) FROM audit_seals WHERE counter BETWEEN 1 AND 281474976710655)
BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only: a seal follows the one before');
END;
