CREATE INDEX journal_what ON journal (what(20));
