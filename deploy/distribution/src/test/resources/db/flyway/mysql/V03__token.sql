ALTER TABLE account ADD COLUMN token char(36) NOT NULL DEFAULT '';
UPDATE account SET token = UUID();
