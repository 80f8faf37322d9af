CREATE INDEX CONCURRENTLY journal_what ON journal (what);
