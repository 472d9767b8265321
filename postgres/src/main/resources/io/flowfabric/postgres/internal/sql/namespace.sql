-- name: namespaces
-- Those that are known for something, each with what it has of its own.
select known.name, n.settings::text as settings
from (
    select name from ${schema}.namespace
    union
    select namespace from ${schema}.lane
) as known
left join ${schema}.namespace n on n.name = known.name
where known.name collate "C" > :after collate "C"
order by known.name collate "C"
limit :max::integer

-- name: namespace
select settings::text as settings from ${schema}.namespace where name = :name

-- name: configure_namespace
insert into ${schema}.namespace (name, retention, settings) values (:name, :retention::bigint, :settings::jsonb)
on conflict (name) do update set retention = excluded.retention, settings = excluded.settings

-- name: lock_namespace
-- One change of a namespace at a time, also of one that has no row yet.
select pg_advisory_xact_lock(hashtextextended('${schema}.namespace ' || :name, 0))

-- name: tell_namespace
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'namespace_changed', ${>now}, :name, :actor, :reason, :payload::jsonb
