CREATE INDEX payment_amount ON payment (account_id, amount);
CREATE UNIQUE INDEX account_token ON account (token);
