-- Schema 11. What a hub is in the household, by the word of the person in charge here; null: nobody has said. A hub that was named to decide in
-- a child's place was named there as an adult's, so it is one; from now on no other may be named, and one that is no adult's decides nothing.
-- A setting that cannot be read names nobody.

ALTER TABLE peers ADD COLUMN role TEXT CHECK (role IN ('adult', 'child', 'guest', 'shared'));

UPDATE peers SET role = 'adult' WHERE trust <> 'revoked' AND EXISTS (
  SELECT 1
  FROM meta, json_each(CASE WHEN json_valid(meta.value) THEN meta.value ELSE '{}' END, '$.hubs') AS named
  WHERE meta.name = 'consent' AND CASE named.type WHEN 'object' THEN json_extract(named.value, '$.key') END = peers.key
    AND CASE named.type WHEN 'object' THEN json_extract(named.value, '$.paired_at') END = peers.paired_at
);
