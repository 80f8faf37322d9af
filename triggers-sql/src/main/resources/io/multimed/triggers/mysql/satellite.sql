-- Multimed's own schema on a satellite. Safe to run again at every start.
-- "applied" has one row: the applied SCN, and the history of the master that the satellite follows. The row changes in
-- the same transaction as the rows of the WriteSets, so that each WriteSet is applied exactly once (architecture 4.3).
-- "relation" contains the forms of the master's tables at the applied SCN, and "setting" the master's settings on which
-- results depend.
CREATE DATABASE IF NOT EXISTS multimed CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS multimed.applied (one TINYINT NOT NULL PRIMARY KEY, scn BIGINT NOT NULL, cluster CHAR(36) NOT NULL) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS multimed.relation (
    id BIGINT NOT NULL PRIMARY KEY, schema_name VARCHAR(64) NOT NULL, table_name VARCHAR(64) NOT NULL, form LONGBLOB NOT NULL, away BOOLEAN NOT NULL) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS multimed.setting (name VARCHAR(64) NOT NULL PRIMARY KEY, value TEXT NOT NULL) ENGINE = InnoDB;
-- Ids of forms that other forms have replaced. A WriteSet with such an id shows that the satellite is no longer a copy.
CREATE TABLE IF NOT EXISTS multimed.replaced (id BIGINT NOT NULL PRIMARY KEY) ENGINE = InnoDB;
-- The views whose rows are stored in a table, with the statement that makes the view an ordinary one, and the collation
-- of literals in the view.
CREATE TABLE IF NOT EXISTS multimed.materialized (
    storage VARCHAR(64) NOT NULL PRIMARY KEY, schema_name VARCHAR(64) NOT NULL, view_name VARCHAR(64) NOT NULL, collation VARCHAR(64) NOT NULL, restoration LONGTEXT NOT NULL) ENGINE = InnoDB;
