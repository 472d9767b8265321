-- name: due_kinds
select kind
from unnest(enum_range(null::${schema}.timer_kind)) as kind
where exists (
    select from ${schema}.timer t
    where t.kind = kind.kind and t.due <= coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint))

-- name: due
-- What is due of one kind, the longest overdue first. Nothing is locked yet: rows are locked before
-- their timers, here as everywhere.
select t.id
from ${schema}.timer t
where t.kind = :kind::${schema}.timer_kind
    and t.due <= coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint)
order by t.due
limit :limit::integer

-- name: rearm
update ${schema}.timer t set due = later.due
from unnest(:ids::uuid[], :dues::bigint[]) as later (id, due)
where t.id = later.id and t.kind = :kind::${schema}.timer_kind

-- name: disarm
delete from ${schema}.timer where id = any(:ids::uuid[]) and kind = :kind::${schema}.timer_kind

-- name: next_due
select min(due) - coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as "left"
from (
    (select due from ${schema}.timer where kind = 'deadline' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'attempt' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'stall' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'wake' order by due limit 1)
    union all
    (select due from ${schema}.retention order by due limit 1)
    union all
    (select alive_until from ${schema}.session where not buried order by alive_until limit 1)
    union all
    -- whoever ended this one did not come to return its work
    (select 0 from ${schema}.session where dead and not buried limit 1)
) next

-- name: forget
-- Forgets ended executions whose time is over, with everything that is theirs.
with clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
over as (
    select r.ctid as place, r.id
    from ${schema}.retention r
    where r.due <= (select now from clock)
    order by r.due
    limit :limit::integer
    for update skip locked
),
done as (
    delete from ${schema}.retention r where r.ctid = any(array(select place from over))
),
gone as (
    delete from ${schema}.execution e
    using over, ${schema}.lane l, ${schema}.terms t, clock
    where e.id = over.id and l.id = e.lane and t.id = e.terms
        -- one that was replayed since runs again, or ended again and has a later entry
        and e.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped')
        and e.changed + t.retention <= clock.now
    returning e.id, l.namespace
),
unasked as (
    delete from ${schema}.submission s using gone where s.id = gone.id returning s.key, gone.namespace
),
unkeyed as (
    delete from ${schema}.idempotency i
    using unasked
    where i.namespace = unasked.namespace and i.key = unasked.key
),
unresulted as (
    delete from ${schema}.result r using gone where r.id = gone.id
),
unfailed as (
    delete from ${schema}.failure f using gone where f.id = gone.id
)
select (select count(*) from over) as seen, (select count(*) from gone) as forgotten

-- name: erase
-- Forgets ended executions, whose rows the caller has locked, with everything that is theirs and with what
-- was told about them. What remains to be told is that they were erased.
with clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
gone as (
    delete from ${schema}.execution e
    using ${schema}.lane l
    where e.id = any(:ids::uuid[]) and l.id = e.lane
    returning e.id, e.part, e.lane, l.namespace
),
unasked as (
    delete from ${schema}.submission s using gone where s.id = gone.id returning s.key, gone.namespace
),
unkeyed as (
    delete from ${schema}.idempotency i
    using unasked
    where i.namespace = unasked.namespace and i.key = unasked.key
),
unresulted as (
    delete from ${schema}.result r using gone where r.id = gone.id
),
unfailed as (
    delete from ${schema}.failure f using gone where f.id = gone.id
),
untold as (
    delete from ${schema}.event v using gone where v.execution = gone.id and v.transition is not null
)
insert into ${schema}.event (at, execution, part, lane, actor, reason)
select clock.now, gone.id, gone.part, gone.lane, :actor, :reason from gone, clock

-- name: forget_events
with old as (
    select id from ${schema}.event where at < :before::bigint order by id limit :limit::integer
),
dropped as (
    delete from ${schema}.event e using old where e.id = old.id returning e.id
),
moved as (
    update ${schema}.horizon set dropped = greatest(dropped, (select max(id) from dropped))
    where exists (select from dropped)
)
select count(*) as forgotten from dropped

-- name: unknown
select wanted.id from unnest(:ids::uuid[]) as wanted (id)
where not exists (select from ${schema}.execution e where e.id = wanted.id)
