-- Removes Multimed from a master: triggers, event triggers and schema. Users' tables and rows remain.
DROP EVENT TRIGGER IF EXISTS multimed_ddl;
DROP EVENT TRIGGER IF EXISTS multimed_drop;
DROP EVENT TRIGGER IF EXISTS multimed_rewrite;
DROP EVENT TRIGGER IF EXISTS multimed_mark;
DROP EVENT TRIGGER IF EXISTS multimed_log_ddl;
DROP SCHEMA IF EXISTS multimed CASCADE;
