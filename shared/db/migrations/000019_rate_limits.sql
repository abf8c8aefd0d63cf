-- Fixed windows shared by all API processes. Unlogged: a crash loses counts, never money.
create unlogged table rate_limits (
  bucket       text primary key,
  window_start timestamptz not null,
  used         int not null
);

-- Counts `requests` in the bucket. Returns this window's count, including them, and when the window ends.
create function consume_rate_limit(
  bucket_name text, window_seconds int, requests int default 1, out used int, out resets_in_seconds int)
  language sql set search_path = public, pg_temp as $$
  insert into rate_limits as r (bucket, window_start, used) values (bucket_name, now(), requests)
  on conflict (bucket) do update set
    used = case when r.window_start + make_interval(secs => window_seconds) <= now()
      then requests else r.used + requests end,
    window_start = case when r.window_start + make_interval(secs => window_seconds) <= now()
      then now() else r.window_start end
  returning r.used, ceil(extract(epoch from r.window_start + make_interval(secs => window_seconds) - now()))::int
$$;

grant execute on function consume_rate_limit to svc_api;
grant select, insert, update, delete on rate_limits to svc_api;
grant select, delete on rate_limits to svc_daemon;
