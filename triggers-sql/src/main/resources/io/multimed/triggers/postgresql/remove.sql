-- Takes Multimed out of a master: triggers, event triggers and schema. The data stays.
DROP EVENT TRIGGER IF EXISTS multimed_ddl;
DROP EVENT TRIGGER IF EXISTS multimed_drop;
DROP EVENT TRIGGER IF EXISTS multimed_rewrite;
DROP SCHEMA IF EXISTS multimed CASCADE;
