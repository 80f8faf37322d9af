DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE relname = 'audit') THEN
        CREATE TABLE audit (id serial PRIMARY KEY, what text, at timestamptz DEFAULT clock_timestamp());
        INSERT INTO audit (what) VALUES ('created');
    END IF;
END $$;
