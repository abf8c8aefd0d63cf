-- A number above 2^53 in `valid_before` fails every statement that lists what is under way on a chain, so that one such row
-- stops the following of all. The daemon refuses what ends so late; whatever else fails, no row has it. One that was forged
-- before is paid or over by what the chain shows, not by its window. Locks a small table while it is checked.
update authorizations set valid_before = 99999999999 where valid_before > 99999999999;
alter table authorizations add constraint authorizations_end_some_day check (valid_before < 100000000000);
