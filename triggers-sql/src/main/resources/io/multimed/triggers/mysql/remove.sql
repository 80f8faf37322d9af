-- Removes Multimed from a master; the data remains. Prints the statements for this: one for each trigger on the tables,
-- one for each privilege that an account has on Multimed's routines, then one that drops Multimed's own database. The
-- administrator's client executes the printed statements.
SELECT CONCAT('DROP TRIGGER `', REPLACE(trigger_schema, '`', '``'), '`.`', trigger_name, '`;')
    FROM information_schema.triggers
    WHERE trigger_name RLIKE '^multimed_[0-9]+_(insert|update|delete)$'
UNION ALL SELECT CONCAT('REVOKE EXECUTE ON ', routine_type, ' multimed.`', routine_name, '` FROM `',
            REPLACE(user, '`', '``'), '`@`', host, '`;')
    FROM mysql.procs_priv WHERE db = 'multimed'
UNION ALL SELECT 'DROP DATABASE IF EXISTS multimed;';
