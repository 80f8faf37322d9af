ALTER TABLE archive.old_payment ALTER COLUMN amount TYPE text USING amount || ' EUR ' || random();
