UPDATE payment SET amount = amount + 1 WHERE id <= 10;
