CREATE FUNCTION masked(email text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT left(email, 2) || '***;' $$;
