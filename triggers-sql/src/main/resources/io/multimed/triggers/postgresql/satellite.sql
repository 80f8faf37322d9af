-- Multimed's own schema on a satellite: where it stands in the order. The one row changes in the same transaction as the rows of the WriteSets, so
-- that each of them is applied exactly once.
CREATE SCHEMA IF NOT EXISTS multimed;
CREATE TABLE IF NOT EXISTS multimed.applied (scn bigint NOT NULL, cluster uuid NOT NULL) WITH (fillfactor = 10);
