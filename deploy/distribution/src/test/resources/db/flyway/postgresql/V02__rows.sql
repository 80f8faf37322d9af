INSERT INTO account (email) SELECT 'user' || i || '@example.org' FROM generate_series(1, 200) i;
INSERT INTO payment (account_id, amount) SELECT id, id * 1.25 FROM account;
