ALTER TABLE payment MODIFY COLUMN kind ENUM('card', 'wire', 'cash') NOT NULL DEFAULT 'card';
