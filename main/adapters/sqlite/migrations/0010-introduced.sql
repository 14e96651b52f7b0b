-- Schema 10. How a hub came to be paired: in what way, by whose word here, and on which surface. All three or none: of a hub that was paired
-- before this was written down nothing is known, and nothing is guessed.

ALTER TABLE peers ADD COLUMN introduced_way TEXT
  CHECK (introduced_way IN ('digits', 'invitation_made_here', 'invitation_used_here', 'share_token', 'key'));
ALTER TABLE peers ADD COLUMN introduced_by TEXT CHECK ((introduced_by IS NULL) = (introduced_way IS NULL));
ALTER TABLE peers ADD COLUMN introduced_surface TEXT CHECK ((introduced_surface IS NULL) = (introduced_way IS NULL));
