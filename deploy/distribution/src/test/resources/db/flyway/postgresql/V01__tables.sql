CREATE TABLE account (id bigserial PRIMARY KEY, email varchar(100) NOT NULL UNIQUE, created timestamptz NOT NULL DEFAULT now());
CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE, amount numeric(12,2) NOT NULL CHECK (amount <> 0));
