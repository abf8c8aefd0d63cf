-- How payers reach a merchant, and which sites may show the merchant's pages in a frame. Operators write both
-- (shared/domain/support-contact.ts, shared/domain/frame-origin.ts); pages put them into links and into a header.
alter table brands
  add column support text
    check (length(support) <= 300 and support ~ '^(https://|mailto:)[!#-&(-;=?-~]+$' and support !~ '[<>"'']'),
  -- Replaces CHECKOUT_FRAME_ORIGINS for the merchant's pages. Null: that setting applies.
  add column frame_origins text[]
    check (cardinality(frame_origins) between 1 and 10
      and array_to_string(frame_origins, ' ', '*') ~ '^https://[a-z0-9.-]{1,253}(:[0-9]{1,5})?( https://[a-z0-9.-]{1,253}(:[0-9]{1,5})?)*$');
