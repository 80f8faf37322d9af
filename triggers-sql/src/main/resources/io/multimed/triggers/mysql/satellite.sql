-- Multimed's own schema on a satellite: where it stands in the order, the tables' forms there, and the master's settings on which answers depend. The one row of "applied" changes in the same
-- transaction as the rows of the WriteSets, so that each of them is applied exactly once.
CREATE DATABASE IF NOT EXISTS multimed CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS multimed.applied (one TINYINT NOT NULL PRIMARY KEY, scn BIGINT NOT NULL, cluster CHAR(36) NOT NULL) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS multimed.relation (
    id BIGINT NOT NULL PRIMARY KEY, schema_name VARCHAR(64) NOT NULL, table_name VARCHAR(64) NOT NULL, form LONGBLOB NOT NULL, away BOOLEAN NOT NULL) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS multimed.setting (name VARCHAR(64) NOT NULL PRIMARY KEY, value TEXT NOT NULL) ENGINE = InnoDB;
-- Ids of forms that others have replaced: nothing is captured under them any more.
CREATE TABLE IF NOT EXISTS multimed.replaced (id BIGINT NOT NULL PRIMARY KEY) ENGINE = InnoDB;
