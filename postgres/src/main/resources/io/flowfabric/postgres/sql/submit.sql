-- name: clock
select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now

-- name: lanes
select id, namespace, name, state, weight, ageing, since from ${schema}.lane where id = any(:ids::integer[])

-- name: lanes_by_name
select id, namespace, name, state, weight, ageing, since from ${schema}.lane
where (namespace, name) in (select * from unnest(:namespaces::text[], :names::text[]))

-- name: add_lanes
insert into ${schema}.lane (namespace, name, since)
select namespace, name, coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint)
from unnest(:namespaces::text[], :names::text[]) as wanted (namespace, name)
order by namespace, name
on conflict do nothing
returning id

-- name: remove_unused_lanes
-- A refused submission leaves no trace: not even the lane that it would have begun.
delete from ${schema}.lane where id = any(:ids::integer[]) and id <> all(:used::integer[])

-- name: gates
select id, kind, needs, meters, costs, quotas, budgets from ${schema}.gate where id = any(:ids::integer[])

-- name: gate
select id from ${schema}.gate where digest = :digest

-- name: add_gate
insert into ${schema}.gate (kind, needs, compares, meters, costs, quotas, budgets, digest)
values (
    :kind, :needs::text[], :compares::boolean, :meters::integer[], :costs::bigint[], :quotas::text[], :budgets::text[], :digest)
on conflict do nothing

-- name: add_lane_gates
insert into ${schema}.lane_gate (lane, gate)
select lane, gate from unnest(:lanes::integer[], :gates::integer[]) as pair (lane, gate)
order by lane, gate
on conflict do nothing

-- name: terms
select id, body from ${schema}.terms where id = any(:ids::integer[])

-- name: terms_of
select id from ${schema}.terms where body = :body

-- name: add_terms
insert into ${schema}.terms (body, attempt_timeout, stall_timeout, retention)
values (:body, :attempt_timeout::bigint, :stall_timeout::bigint, :retention::bigint)
on conflict do nothing

-- name: submit
with clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
asked as (
    select
        i.*,
        lane.namespace,
        lane.ageing,
        clock.now,
        coalesce(i.start_at, clock.now + i.start_after) as start,
        coalesce(i.deadline_at, clock.now + i.deadline_after) as deadline
    from clock
    cross join unnest(
        :ids::uuid[], :parts::smallint[], :lanes::integer[], :gates::integer[], :terms::integer[], :priorities::smallint[],
        :start_ats::bigint[], :start_afters::bigint[], :deadline_ats::bigint[], :deadline_afters::bigint[],
        :creators::text[], :keys::text[], :tags::text[], :start_dues::text[], :deadline_dues::text[],
        :types::text[], :inputs::bytea[], :digests::bytea[]
    ) with ordinality as i (
        id, part, lane, gate, terms, priority,
        start_at, start_after, deadline_at, deadline_after,
        creator, key, tags, start_due, deadline_due,
        content_type, input, digest, n)
    join ${schema}.lane on lane.id = i.lane and lane.state in ('active', 'paused')
    order by i.n
),
item as (
    -- in the order in which it was asked for
    select asked.*, nextval('${schema}.execution_seq') as seq from asked
),
keyed as (
    insert into ${schema}.idempotency (namespace, key, id)
    select item.namespace, item.key, item.id
    from item
    where item.key is not null and not exists (select from ${schema}.execution e where e.id = item.id)
    order by item.n
    on conflict do nothing
    returning id
),
accepted as (
    insert into ${schema}.execution (
        id, part, seq, lane, gate, terms, priority, rank,
        situation, next, until, delayed_by, deadline, submitted, changed)
    select
        id, part, seq, lane, gate, terms, priority,
        case when ageing is null then -priority else now - priority * ageing end,
        (case when start > now then 'delayed' else 'ready' end)::${schema}.situation,
        'first',
        case when start > now then start end,
        case when start > now then 'request'::${schema}.delayed_by end,
        deadline, now, now
    from item
    where item.key is null or item.id in (select id from keyed)
    order by item.n
    on conflict (id) do nothing
    returning id, part, lane, gate, rank, seq, situation, until, deadline, submitted
),
described as (
    insert into ${schema}.submission (
        id, creator, key, tags, priority, start_due, deadline_due, content_type, input, digest)
    select
        item.id, item.creator, item.key, string_to_array(item.tags, E'\x1f'), item.priority, item.start_due, item.deadline_due,
        item.content_type, item.input, item.digest
    from item
    -- by hash: the planner, who expects a handful, would compare each item with each
    where (item.id in (select id from accepted)) is true
),
tagged as (
    insert into ${schema}.tag (lane, word, submitted, seq, id)
    select item.lane, word, item.now, item.seq, item.id
    from item
    cross join lateral unnest(string_to_array(item.tags, E'\x1f')) as word
    where item.tags <> '' and (item.id in (select id from accepted)) is true
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, deadline, submitted, starts)
    select lane, gate, rank, true, seq, id, deadline, submitted, true from accepted where situation = 'ready'
),
rested as (
    insert into ${schema}.resting (lane, situation, submitted, seq, id)
    select lane, situation, submitted, seq, id from accepted where situation <> 'ready'
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select id, 'wake'::${schema}.timer_kind, until from accepted where until is not null
    union all
    select id, 'deadline', deadline from accepted where deadline is not null
),
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, until)
    select submitted, id, part, lane, 'submit', situation, 0, 0, until from accepted order by seq
)
select id, lane, seq, situation = 'ready' as ready, true as accepted from accepted
union all
-- keys that were taken for nothing, because the id was taken at the same moment
select id, null, null, false, false from keyed where id not in (select id from accepted)

-- name: known
-- Who is there already, by id or by key, and with which content.
select e.id, e.part, s.digest, null::text as namespace, null::text as key
from ${schema}.execution e
join ${schema}.submission s using (id)
where e.id = any(:ids::uuid[])
union all
select e.id, e.part, s.digest, i.namespace, i.key
from ${schema}.idempotency i
join ${schema}.execution e using (id)
join ${schema}.submission s using (id)
where (i.namespace, i.key) in (select * from unnest(:namespaces::text[], :keys::text[]))

-- name: forget_keys
-- Gives back keys that were taken for submissions which then were refused because of their id.
delete from ${schema}.idempotency i
using unnest(:namespaces::text[], :keys::text[], :ids::uuid[]) as taken (namespace, key, id)
where i.namespace = taken.namespace and i.key = taken.key and i.id = taken.id
