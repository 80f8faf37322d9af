-- Takes Multimed out of a master; the data stays. Prints the statements that do it: first those that drop the triggers
-- on the tables, each for itself, then the one that drops Multimed's own database. The client runs what it prints.
SELECT CONCAT('DROP TRIGGER `', REPLACE(trigger_schema, '`', '``'), '`.`', trigger_name, '`;')
    FROM information_schema.triggers
    WHERE trigger_name RLIKE '^multimed_[0-9]+_(insert|update|delete)$'
UNION ALL SELECT 'DROP DATABASE IF EXISTS multimed;';
