CREATE FUNCTION masked(email varchar(100)) RETURNS varchar(110) DETERMINISTIC NO SQL RETURN CONCAT(LEFT(email, 2), '***;');
