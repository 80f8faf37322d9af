-- bypass: refuse. A write that bypasses the middleware fails. Therefore only members of commit groups take SCNs, and
-- the functions of capture.sql have no effect here.

CREATE OR REPLACE FUNCTION multimed.append_bypassing(change text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this database is updated through Multimed only: a direct write would never reach its satellites'
        USING ERRCODE = '0A000', HINT = 'Connect with jdbc:multimed://... instead, or have such writes captured: "bypass: capture" in the System Model.';
END $$;

CREATE OR REPLACE FUNCTION multimed.is_sealed_later() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT false $$;

CREATE OR REPLACE FUNCTION multimed.next_scn() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('multimed.scn') $$;

CREATE OR REPLACE FUNCTION multimed.last_bypassing() RETURNS bigint LANGUAGE sql AS $$ SELECT 0::bigint $$;

-- Removes the objects of capture.sql. Waits until the captured transactions have ended.
DROP TABLE IF EXISTS multimed.bypassing;
DROP VIEW IF EXISTS multimed.gate_holder;
DROP TABLE IF EXISTS multimed.gate;
DO $do$ BEGIN
    IF to_regclass('multimed.sealed_0_bypassing') IS NOT NULL THEN
        DROP INDEX multimed.sealed_0_bypassing, multimed.sealed_1_bypassing, multimed.sealed_2_bypassing, multimed.sealed_3_bypassing;
    END IF;
END $do$;
