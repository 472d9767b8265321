-- name: quota
select id, namespace, name, settings::text as settings from ${schema}.quota
where namespace = :namespace and name = :name and not deleted

-- name: list_quotas
select id, namespace, name, settings::text as settings from ${schema}.quota
where namespace = :namespace and not deleted and name collate "C" > :after collate "C"
order by name collate "C"
limit :max::integer

-- name: lock_quota
-- One change of a quota at a time; a first one makes the row. No column of a key is set: that would lock the key, too, and
-- what refers to it would wait.
insert into ${schema}.quota as q (namespace, name, deleted) values (:namespace, :name, true)
on conflict (namespace, name) do update set deleted = q.deleted
returning q.id, q.namespace, q.name, q.settings::text as settings, q.deleted

-- name: change_quota
update ${schema}.quota
set concurrency_limit = :concurrency_limit::integer, rate = :rate::integer, window_ms = :window_ms::bigint, settings = :settings::jsonb, deleted = :deleted::boolean
where id = :id::integer

-- name: change_meters
-- In the order of their numbers, as every statement that counts. Starts that no longer count are forgotten, and when the
-- next may begin is found anew.
with ${>clock},
kept as (
    select m.id, m.window_starts, m.window_counts
    from ${schema}.meter m
    where m.quota = :quota::integer
    order by m.id
    for update
)
update ${schema}.meter m
set concurrency_limit = :concurrency_limit::integer, rate = :rate::integer, window_ms = :window_ms::bigint,
    (window_starts, window_counts, reopens_at) = (
        select coalesce(c.window_starts, '{}'), coalesce(c.window_counts, '{}'), c.reopens_at
        from (select) as once
        left join lateral (
            select * from ${schema}.count_starts(
                kept.window_starts, kept.window_counts, :rate::integer, :window_ms::bigint, clock.now, 0)
            where :rate::integer is not null) as c on true)
from kept, clock
where m.id = kept.id
returning m.id

-- name: tell_quota
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'quota_changed', ${>now}, :namespace, :actor, :reason, :payload::jsonb

-- name: tell_drift
insert into ${schema}.event_${day} (kind, at, namespace, payload)
select 'drifted', ${>now}, :namespace, :payload::jsonb

-- name: meter_of
select m.id from ${schema}.meter m join ${schema}.quota q on q.id = m.quota
where q.namespace = :namespace and q.name = :name and not q.deleted and m.key = :key

-- name: add_meter
-- With what its quota says at this moment, which is not changed meanwhile.
insert into ${schema}.meter (quota, key, concurrency_limit, rate, window_ms)
select q.id, :key, q.concurrency_limit, q.rate, q.window_ms
from ${schema}.quota q
where q.namespace = :namespace and q.name = :name and not q.deleted
for share
on conflict do nothing

-- name: add_meters
-- With what their quotas say at this moment, which is not changed meanwhile.
with wanted as (
    select q.id, asked.key, q.concurrency_limit, q.rate, q.window_ms
    from unnest(:names::text[], :keys::text[]) as asked (name, key)
    join ${schema}.quota q on q.namespace = :namespace and q.name = asked.name and not q.deleted
    order by q.id
    for share of q
)
insert into ${schema}.meter (quota, key, concurrency_limit, rate, window_ms)
select id, key, concurrency_limit, rate, window_ms from wanted
order by id, key
on conflict do nothing

-- name: meters_by_name
select m.id, q.name, m.key
from unnest(:names::text[], :keys::text[]) as asked (name, key)
join ${schema}.quota q on q.namespace = :namespace and q.name = asked.name and not q.deleted
join ${schema}.meter m on m.quota = q.id and m.key = asked.key

-- name: meters
-- How quotas stand, by the numbers of their meters.
select
    m.id, q.namespace, q.name, q.settings::text as settings, m.key, m.running,
    m.window_starts, m.window_counts, coalesce(${>now} - m.window_ms, 0) as window_begins
from ${schema}.meter m
join ${schema}.quota q on q.id = m.quota
where m.id = any(:ids::integer[]) and not q.deleted

-- name: lock_meters
select id from ${schema}.meter where id = any(:ids::integer[]) order by id for update

-- name: lock_unheld_meters
select id from ${schema}.meter where id = any(:ids::integer[]) order by id for update skip locked

-- name: lanes_behind
-- Where work may wait for these.
select distinct lane from ${schema}.lane_meter where meter = any(:meters::integer[])

-- name: open_meters
-- Those whose window has passed are open again.
with ${>clock},
due as (
    select m.id from ${schema}.meter m
    -- found in the order of that index: in that of their numbers all meters would be looked at
    where m.id = any(array(select r.id from ${schema}.meter r where r.reopens_at <= (select now from clock) order by r.reopens_at))
        and m.reopens_at <= (select now from clock)
    order by m.id
    for update skip locked
)
update ${schema}.meter m
set reopens_at = null
from due
where m.id = due.id
returning m.id

-- name: lock_next_meters
-- The next meters of quotas, those of deleted quotas too, in the order of their numbers as every statement that counts locks
-- them. Once they are locked, no transaction is open that has taken or given back a place of theirs.
select m.id, q.name, m.key, m.running, m.reserved
from ${schema}.meter m
join ${schema}.quota q on q.id = m.quota
where q.namespace = :namespace and m.id > :after::integer
order by m.id
limit :limit::integer
for update of m

-- name: count_meters
-- What runs against meters that the caller has locked, and what is set aside for it: a statement of its own, so that it sees
-- what was committed before. A step that takes or gives back a place waits for the lock of the meter before that can be seen.
select given.slot as id, count(*)::integer as running, sum(given.hold)::bigint as reserved
from ${schema}.session h
join ${schema}.receipt r on r.session = h.id
cross join unnest(r.ids, r.epochs) as lease (id, epoch)
cross join lateral (
    select x.counted_meters, x.reserved_amounts from ${schema}.execution x
    where x.id = lease.id and x.epoch = lease.epoch and x.session = h.id and x.counted_meters is not null offset 0
) as e
cross join unnest(e.counted_meters, e.reserved_amounts) as given (slot, hold)
where not h.buried and given.slot = any(:ids::integer[])
group by given.slot

-- name: correct_meters
-- The caller has locked them.
update ${schema}.meter m
set running = truth.running, reserved = truth.reserved
from unnest(:ids::integer[], :runnings::integer[], :reserveds::bigint[]) as truth (id, running, reserved)
where m.id = truth.id
