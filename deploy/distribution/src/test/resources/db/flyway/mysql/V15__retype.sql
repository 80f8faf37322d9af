ALTER TABLE archive.old_payment MODIFY COLUMN kind varchar(60) NOT NULL;
UPDATE archive.old_payment SET kind = CONCAT(kind, ' EUR ', RAND());
