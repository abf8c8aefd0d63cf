-- The distributions of one organization in the order of time, for metrics: without it a query reads everybody's.
-- Blocks writers of payouts while it is built.
create index payouts_of_organization on payouts (organization_id, environment, created_at);
