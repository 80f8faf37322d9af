ALTER TABLE payment ADD COLUMN kind ENUM('card', 'cash') NOT NULL DEFAULT 'card';
