-- What `from_block` was said to be when its table was made, the head, it is not. Blocks nobody.
comment on column authorizations.from_block is
  'no block below has it: the confirmation depth and a minute below the head at which it was not used, or a quarter of an hour below the head at which somebody else had used it';
