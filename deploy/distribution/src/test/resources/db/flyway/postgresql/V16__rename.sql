ALTER TABLE account RENAME COLUMN email TO address;
ALTER TABLE audit RENAME TO journal;
