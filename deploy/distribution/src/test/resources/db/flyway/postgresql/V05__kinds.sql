CREATE TYPE payment_kind AS ENUM ('card', 'cash');
ALTER TABLE payment ADD COLUMN kind payment_kind NOT NULL DEFAULT 'card';
