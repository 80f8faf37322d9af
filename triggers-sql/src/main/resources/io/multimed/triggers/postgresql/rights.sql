-- Runs last. Sets the privileges on Multimed's schema: the owner has all; the capture triggers run with the owner's
-- privileges; and any role that a client has set may have its transaction sealed. Names in functions refer to
-- Multimed's and built-in objects, regardless of the client's search_path. Functions that others call qualify names
-- instead. The capture triggers must all set the same path: the engine analyses and plans the expressions of
-- append_row() and keep() again whenever the path differs from that of the last call.
SELECT multimed.trust();

DO $do$
DECLARE
    own record;
BEGIN
    FOR own IN SELECT p.oid::regprocedure AS signature FROM pg_proc p
        WHERE p.pronamespace = 'multimed'::regnamespace AND p.prokind = 'f'
        AND p.proname NOT IN ('append', 'append_statement', 'append_row', 'seal', 'seal_shared', 'finish',
            'keep', 'place', 'seal_token', 'next_scn', 'admit', 'tried', 'piece_size', 'pieces_of', 'gate') -- second line: called with the path set, or qualified
        AND NOT EXISTS (SELECT FROM unnest(p.proconfig) setting WHERE setting LIKE 'search_path=%') LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', own.signature);
    END LOOP;
END $do$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA multimed FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA multimed FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA multimed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION multimed.enter(bigint), multimed.before_commit(), multimed.seal(bigint, int, bigint, boolean, bigint), multimed.write_seal(bigint, int, bigint, bigint, text),
    multimed.permit_seal(bigint), multimed.begin_later(bigint), multimed.seal_shared(bigint[], int[], text[], bigint, bigint),
    multimed.require_shareable(oid[]), multimed.few_pieces(smallint, int, xid8, bigint), multimed.write_receipts(bigint[], int[], bigint, bigint) TO PUBLIC;

DO $do$ BEGIN
    IF to_regprocedure('multimed.write_receipt(bigint[], int[], bigint)') IS NOT NULL THEN
        GRANT EXECUTE ON FUNCTION multimed.write_receipt(bigint[], int[], bigint) TO PUBLIC;
    END IF;
END $do$;

SELECT set_config('multimed.trusted', '', true), set_config('multimed.watching', '', true);
