-- Finds a merchant's charges by their externalRef in the order of the list, for GET /v1/charges?externalRef=…: each status
-- and overpayment is a range of it, as in `charges_listed`. Only charges with a reference are in it. Blocks writers of
-- charges for as long as reading the table takes; the build before this one works beside it.
create index charges_by_external_ref
  on charges (organization_id, environment, external_ref, status, is_overpaid, created_at, id)
  where external_ref is not null;
