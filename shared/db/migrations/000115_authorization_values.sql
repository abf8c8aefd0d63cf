-- What was signed for, too, tells the API whether the same authorization comes again. A grant; blocks nobody.
grant select (value_atomic) on authorizations to svc_api;
