-- Schema 8. How long this hub waits for a person, in milliseconds from the receipt of a request; null: as long as whoever asked waits.

ALTER TABLE tasks ADD COLUMN wait_ms INTEGER CHECK (wait_ms > 0);
