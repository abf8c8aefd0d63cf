-- The time of the insertion, not of the beginning of its transaction. An export waits for the transactions that have
-- inserted entries by the time it begins, so that it contains each entry with an earlier `recorded_at`. This migration
-- blocks writers of entries for an instant.
alter table accounting_entries alter column recorded_at set default clock_timestamp();
