CREATE TABLE account (id bigint AUTO_INCREMENT PRIMARY KEY, email varchar(100) NOT NULL UNIQUE, created datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6));
CREATE TABLE payment (id bigint AUTO_INCREMENT PRIMARY KEY, account_id bigint NOT NULL, amount decimal(12,2) NOT NULL CHECK (amount <> 0), FOREIGN KEY (account_id) REFERENCES account (id));
