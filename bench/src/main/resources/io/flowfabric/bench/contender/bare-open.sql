insert into ${schema}.session (id, namespace, worker, instance, lanes, kinds, offers, ttl, opened, alive_until)
values (?, 'default', 'bare', 'bare', '{default}', '{}', '{}', 3600000, 0, 9007199254740991)
