-- fragment: unwaited
-- With executions that are gone, what they waited for and were told.
untold_signals as (
    delete from ${schema}.signal s using gone where gone.waited and s.execution = gone.id
),
unopened as (
    delete from ${schema}.waitpoint p using gone where gone.waited and p.execution = gone.id
),
unawaited as (
    delete from ${schema}.awaiting w using gone where gone.waited and w.id = gone.id
)

-- name: awaiting_sizes
-- How large that is which is remembered of executions whose rows the caller has locked: much is read in parts.
select w.id, octet_length(w.body) as bytes from ${schema}.awaiting w where w.id = any(:ids::uuid[])

-- name: awaiting_of
-- What is remembered of executions whose rows the caller has locked: in a statement of its own, because the one that waited for
-- the locks does not see what was committed meanwhile in other tables.
select w.id, w.body as awaiting, e.replays
from ${schema}.awaiting w
join ${schema}.execution e on e.id = w.id
where w.id = any(:ids::uuid[])

-- name: remember
-- What is remembered of executions that wait, whose rows the caller has locked.
with remembered as (
    insert into ${schema}.awaiting as w (id, body)
    select i.id, i.body from unnest(:ids::uuid[], :bodies::text[]) as i (id, body)
    on conflict (id) do update set body = excluded.body
)
update ${schema}.execution e set waited = true
where e.id = any(:ids::uuid[]) and e.waited is null

-- name: unlist_waitpoints
-- Of executions whose rows the caller has locked.
delete from ${schema}.waitpoint p
using unnest(:ids::uuid[], :openeds::bigint[], :names::text[]) as i (id, opened, name), ${schema}.execution e
where e.id = i.id and p.lane = e.lane and p.opened = i.opened and p.execution = i.id and p.name = i.name

-- name: list_waitpoints
insert into ${schema}.waitpoint (lane, opened, execution, name)
select e.lane, i.opened, i.id, i.name
from unnest(:ids::uuid[], :openeds::bigint[], :names::text[]) as i (id, opened, name)
join ${schema}.execution e on e.id = i.id
-- one of a life before may have been left behind within the same millisecond
on conflict do nothing

-- name: receive
-- Keeps signals that were received, and tells of them.
with received as (
    insert into ${schema}.signal (
        execution, number, waitpoint, place, name, key, effect, at, actor, reason, content_type, content)
    select i.*
    from unnest(
        :ids::uuid[], :numbers::bigint[], :waitpoints::text[], :places::bigint[], :names::text[], :keys::text[], :effects::text[],
        :ats::bigint[], :actors::text[], :reasons::text[], :types::text[], :contents::bytea[]
    ) as i (execution, number, waitpoint, place, name, key, effect, at, actor, reason, content_type, content)
    returning execution, number, waitpoint, name, effect, at, actor, reason
)
insert into ${schema}.event_${day} (kind, at, execution, part, lane, actor, reason, payload)
select
    'signal_received', r.at, r.execution, e.part, e.lane, r.actor, r.reason,
    jsonb_build_object('waitpoint', r.waitpoint, 'signal', r.name, 'number', r.number, 'effect', r.effect)
from received r
join ${schema}.execution e on e.id = r.execution
order by r.execution, r.number

-- name: record_waits
-- Steps that say how waits have ended, each of another execution whose row the caller has locked.
with stored as (
    insert into ${schema}.step (execution, name, nth, bytes, digest, content_type, content, attempt, recorded)
    select i.id, i.name, coalesce(e.steps, 0) + 1, i.bytes, i.digest, i.content_type, i.content, i.attempt, i.recorded
    from unnest(
        :ids::uuid[], :names::text[], :sizes::integer[], :digests::bytea[], :types::text[], :contents::bytea[],
        :attempts::integer[], :recordeds::bigint[]
    ) as i (id, name, bytes, digest, content_type, content, attempt, recorded)
    join ${schema}.execution e on e.id = i.id
    returning execution, nth, bytes, recorded
)
update ${schema}.execution e
set steps = s.nth, step_bytes = coalesce(e.step_bytes, 0) + s.bytes, step_at = s.recorded
from stored s
where e.id = s.execution

-- name: suspendable
-- What the suspension of executions depends on besides, whose rows the caller has locked.
with ${>clock}
select
    e.id, coalesce(e.steps, 0) as steps, coalesce(e.step_bytes, 0)::bigint as step_bytes,
    exists (select from ${schema}.step t where t.execution = e.id and t.name = i.name) as taken,
    exists (select from ${schema}.session s where s.id = e.session and not s.dead and s.alive_until > clock.now) as alive
from clock
cross join unnest(:ids::uuid[], :names::text[]) as i (id, name)
join ${schema}.execution e on e.id = i.id

-- name: kept_signals
-- What conditions have to know of the signals of executions, in the order in which they came.
select s.execution, s.number, s.waitpoint, s.place, s.name, s.actor
from ${schema}.signal s
where s.execution = any(:ids::uuid[])
order by s.execution, s.number

-- name: signals_of_keys
select e.part, s.*
from unnest(:ids::uuid[], :places::bigint[], :keys::text[]) as i (id, place, key)
join ${schema}.signal s on s.execution = i.id and s.place = i.place and s.key = i.key
join ${schema}.execution e on e.id = i.id

-- name: received
-- A page of what an execution has received and one more, as far as the bytes before are not too many; one row without a number
-- when there is none.
select e.part, s.*
from ${schema}.execution e
left join lateral (
    select page.*
    from (
        select s.*, sum(octet_length(s.content)) over (order by s.number) - octet_length(s.content) as ahead
        from ${schema}.signal s
        where s.execution = e.id and s.number > :before::bigint
        order by s.number
        limit :max::integer + 1
    ) as page
    where page.ahead <= :bytes::bigint
) as s on true
where e.id = :id::uuid and e.part = :part::smallint
order by s.number

-- name: close_told
-- Tells of waitpoints that an operator has closed.
with ${>clock}
insert into ${schema}.event_${day} (kind, at, execution, part, lane, actor, reason, payload)
select 'waitpoint_closed', clock.now, e.id, e.part, e.lane, :actor, :reason, jsonb_build_object('waitpoint', i.name)
from clock
cross join unnest(:ids::uuid[], :names::text[]) as i (id, name)
join ${schema}.execution e on e.id = i.id

-- name: awaited
-- What is remembered of one execution, and what it takes to read it.
with ${>clock}
select e.part, e.lane, e.situation, e.replays, w.body as awaiting, clock.now
from clock
cross join ${schema}.execution e
left join ${schema}.awaiting w on e.waited and w.id = e.id
where e.id = :id::uuid and e.part = :part::smallint

-- name: waitpoints
-- A stretch of the waitpoints of a lane that may be open, behind one of them: whether their executions have ended or are gone, which
-- leaves what was open behind, and how large that is which is remembered of the others. It is read by another statement, once for
-- each execution.
select
    p.opened, p.name, p.execution, w.id is null or e.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped') as over,
    coalesce(octet_length(w.body), 0) as bytes
from (
    select p.* from ${schema}.waitpoint p
    where p.lane = (select l.id from ${schema}.lane l where l.namespace = :namespace::text and l.name = :lane::text)
        and p.opened < :before::bigint
        and (p.opened, p.execution, p.name) > (:after_opened::bigint, :after_id::uuid, :after_name::text collate "C")
    order by p.opened, p.execution, p.name
    limit :limit::integer
) as p
left join ${schema}.execution e on e.id = p.execution
left join ${schema}.awaiting w on w.id = e.id
order by p.opened, p.execution, p.name

-- name: remembered
-- What is remembered of some executions, and what it takes to read it.
with ${>clock}
select e.id, e.part, e.lane, e.situation, e.replays, w.body as awaiting, clock.now
from clock
cross join ${schema}.execution e
join ${schema}.awaiting w on w.id = e.id
where e.id = any(:ids::uuid[])

-- name: unlist_closed
-- Removes waitpoints from the listing that were found closed for good. One that another transaction is at is left to it.
delete from ${schema}.waitpoint
where ctid = any(array(
    select p.ctid
    from unnest(:ids::uuid[], :openeds::bigint[], :names::text[]) as i (id, opened, name)
    join ${schema}.waitpoint p on p.execution = i.id and p.opened = i.opened and p.name = i.name
        and p.lane = (select l.id from ${schema}.lane l where l.namespace = :namespace::text and l.name = :lane::text)
    for update of p skip locked))
