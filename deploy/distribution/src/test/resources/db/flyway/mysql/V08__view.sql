CREATE VIEW balance AS SELECT a.id, a.email, SUM(p.amount) AS total FROM account a JOIN payment p ON p.account_id = a.id GROUP BY a.id, a.email;
