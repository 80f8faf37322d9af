UPDATE payment SET kind = 'wire' WHERE id % 3 = 0;
