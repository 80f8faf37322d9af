SET LOCAL lock_timeout = '10s';
ALTER TABLE payment ADD CONSTRAINT small CHECK (amount < 1000000) NOT VALID;
ALTER TABLE payment VALIDATE CONSTRAINT small;
COMMENT ON TABLE payment IS 'money; of people';
GRANT SELECT ON payment TO PUBLIC;
