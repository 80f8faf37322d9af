INSERT INTO account (email) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT CONCAT('user', i, '@example.org') FROM n;
INSERT INTO payment (account_id, amount) SELECT id, id * 1.25 FROM account;
