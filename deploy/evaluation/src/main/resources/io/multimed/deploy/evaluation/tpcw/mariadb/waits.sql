SELECT CASE WHEN t.trx_state = 'LOCK WAIT' THEN 'row lock' ELSE coalesce(nullif(p.state, ''), 'running') END, count(*)
FROM information_schema.processlist p LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id
WHERE p.command IN ('Query', 'Execute') AND p.id <> connection_id()
AND coalesce(p.state, '') NOT IN ('Reading from net', 'Writing to net') GROUP BY 1
