CREATE SCHEMA archive;
CREATE TABLE archive.old_payment AS SELECT * FROM payment WHERE id <= 50;
ALTER TABLE archive.old_payment ADD PRIMARY KEY (id);
