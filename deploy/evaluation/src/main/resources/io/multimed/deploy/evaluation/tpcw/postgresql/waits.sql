SELECT coalesce(wait_event_type || ': ' || wait_event, 'running'), count(*) FROM pg_stat_activity
WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
AND wait_event_type IS DISTINCT FROM 'Client' GROUP BY 1
