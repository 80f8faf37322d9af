DROP TRIGGER noted;
DROP VIEW balance;
ALTER TABLE account RENAME COLUMN email TO address;
RENAME TABLE audit TO journal;
