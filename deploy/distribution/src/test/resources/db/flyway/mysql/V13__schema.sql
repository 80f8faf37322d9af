CREATE DATABASE archive;
CREATE TABLE archive.old_payment LIKE payment;
INSERT INTO archive.old_payment SELECT * FROM payment WHERE id <= 50;
