-- Which build has parked a charge; null: one before this, or none. What another build parked the daemon takes up again by
-- itself: one without TRON, say, that ran beside it, knows no charge there. Blocks writers of charges for an instant; the
-- build before this one runs beside it.
alter table charges add column parked_by text;

grant update (parked_by) on charges to svc_daemon, svc_operator;
