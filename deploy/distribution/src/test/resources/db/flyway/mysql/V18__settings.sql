SET @patience = 10;
SET SESSION lock_wait_timeout = @patience;
ALTER TABLE payment ADD CONSTRAINT small CHECK (amount < 1000000);
ALTER TABLE payment COMMENT = 'money; of people';
