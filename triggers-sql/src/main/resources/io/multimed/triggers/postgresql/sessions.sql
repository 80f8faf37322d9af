-- The sessions that run clients' statements, identified by process id and start time, which clients cannot change. A
-- middleware that takes over ends the sessions of an earlier one (architecture 6.4). No session survives a crash of the
-- engine, and neither do these rows.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.session (pid int PRIMARY KEY, began timestamptz NOT NULL);

-- Runs first in such a session, before any statement of a client. The lock orders it with takeovers: a middleware that
-- raises the epoch either waits for this transaction and then finds the session, or precedes it, and the session is
-- refused.
CREATE OR REPLACE FUNCTION multimed.enter(epoch bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM multimed.base FOR SHARE;
    PERFORM multimed.admit(epoch);
    DELETE FROM multimed.session WHERE pid IN (SELECT s.pid FROM multimed.session s
        WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = s.pid AND a.backend_start = s.began) FOR UPDATE SKIP LOCKED);
    INSERT INTO multimed.session SELECT pid, backend_start FROM pg_stat_get_activity(pg_backend_pid())
        ON CONFLICT (pid) DO UPDATE SET began = excluded.began;
END $$;
