CREATE INDEX payment_account ON payment (account_id);
CREATE UNIQUE INDEX account_lower_email ON account (lower(email));
