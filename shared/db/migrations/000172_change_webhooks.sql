-- Lets svc_api change where a webhook goes and what it receives, for PATCH /v1/webhooks/{id}. Whoever holds the role can
-- register endpoints of their own anyway. Blocks nobody.
grant update (url, events, event_categories, exclude_events) on webhooks to svc_api;
