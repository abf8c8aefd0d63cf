-- The charges that wait for an operator, for his list and the daemon's gauge: hardly ever one among millions.
-- Blocks writers of charges while it is built.
create index charges_parked on charges (parked_at) where parked_at is not null;
