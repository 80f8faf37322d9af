-- For masters of MySQL only, whose tables about sessions require privileges that the accounts of roles lack. MariaDB
-- lacks these tables. Each procedure lists state of the calling session.
DROP PROCEDURE IF EXISTS multimed.session_state;
CREATE PROCEDURE multimed.session_state()
BEGIN
    SELECT 'user variables' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.user_variables_by_thread
            WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND VARIABLE_VALUE IS NOT NULL)
        UNION ALL SELECT 'temporary tables' FROM DUAL WHERE EXISTS (SELECT 1 FROM information_schema.INNODB_SESSION_TEMP_TABLESPACES s
            JOIN information_schema.INNODB_TEMP_TABLE_INFO t ON t.SPACE = s.SPACE WHERE s.ID = CONNECTION_ID() AND s.PURPOSE = 'USER')
        UNION ALL SELECT 'prepared statements' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.prepared_statements_instances
            WHERE OWNER_THREAD_ID = PS_CURRENT_THREAD_ID() AND STATEMENT_NAME IS NOT NULL)
        UNION ALL SELECT 'locks' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.metadata_locks
            WHERE OWNER_THREAD_ID = PS_CURRENT_THREAD_ID() AND OBJECT_TYPE = 'USER LEVEL LOCK');
END;

-- Lists the variables in which the driver has transferred parameters.
DROP PROCEDURE IF EXISTS multimed.session_parameters;
CREATE PROCEDURE multimed.session_parameters()
    SELECT VARIABLE_NAME FROM performance_schema.user_variables_by_thread
        WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND LEFT(VARIABLE_NAME, 24) = 'com_mysql_jdbc_outparam_' AND VARIABLE_VALUE IS NOT NULL;
