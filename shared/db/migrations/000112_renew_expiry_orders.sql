-- An operator's word that a charge may end is renewed when a payment was told of since that nobody confirms. Blocks nobody;
-- the build before this one runs beside it.
grant update (because, ordered_by, ordered_at) on expiry_orders to svc_operator;
