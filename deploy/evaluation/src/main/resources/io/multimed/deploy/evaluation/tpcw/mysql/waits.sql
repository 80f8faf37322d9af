SELECT coalesce(nullif(state, ''), 'running'), count(*) FROM information_schema.processlist
WHERE command IN ('Query', 'Execute') AND id <> connection_id() GROUP BY 1
