-- name: describe
select
    e.id, e.part, e.seq, e.lane, e.gate, e.policy, e.situation, e.next, e.until, e.delayed_by, e.detail, e.priority, e.attempts,
    e.epoch, e.retries, e.reclaims, e.replays, e.session, e.since, e.deadline, e.submitted, e.changed,
    e.progress_percent, e.progress_message, e.progress_at, e.share,
    ${>asked_columns}, e.creator, e.key, coalesce(e.tags, '{}') as tags,
    l.state as lane_state, e.failure_category as category, e.failure_message as message, e.failure_detail, w.worker, w.instance
from ${schema}.execution e
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.session w on w.id = e.session
where e.id = any(:ids::uuid[])

-- fragment: ready_ahead
    select x.id, x.submitted, x.seq from ${schema}.ready x
    where strand.source = 'ready' and x.lane = strand.lane and ${>in_span}

-- fragment: resting_ahead
    select x.id, x.submitted, x.seq from ${schema}.inactive x
    where strand.source = 'inactive' and x.lane = strand.lane and x.situation = strand.situation::${schema}.situation and ${>in_span}

-- fragment: tagged_ahead
    select x.id, x.submitted, x.seq from ${schema}.tag x
    where strand.source = 'tagged' and x.lane = strand.lane and x.word = :word and ${>in_span}

-- fragment: in_span
        (x.submitted, x.seq) > (:low_submitted::bigint, :low_seq::bigint)
        and (x.submitted, x.seq) < (:high_submitted::bigint, :high_seq::bigint)

-- fragment: oldest_first
        and not :newest_first::boolean
    order by x.submitted, x.seq limit (select examined from bound)

-- fragment: newest_first
        and :newest_first::boolean
    order by x.submitted desc, x.seq desc limit (select examined from bound)

-- name: search
-- Along strands that have what may fit in the order of submission, each no further than the page reaches
-- and no further than a page may cost. A strand that ended before either says how far it came.
with strand as (
    select l.id as lane, s.source, s.situation
    from unnest(:sources::text[], :situations::text[]) as s (source, situation)
    cross join ${schema}.lane l
    where l.namespace = :namespace and (:lane::text is null or l.name = :lane)
),
bound as materialized (
    select greatest(:max::integer, :budget::integer / greatest(1, (select count(*) from strand)))::bigint as examined
)
select found.id, found.submitted, found.seq, found.fits, found.n = (select examined from bound) as unfinished
from strand
cross join lateral (
    select seen.*
    from (
        select
            ahead.*,
            row_number() over () as n,
            (:any_state::boolean or e.situation::text = any(:states::text[]))
                and (:kind::text is null or e.gate in (select g.id from ${schema}.gate g where g.kind = :kind))
                and (:part::smallint is null or e.part = :part::smallint)
                and (not :lapsed::boolean or e.next = 'reclaim')
                and (:changed_from::bigint is null or e.changed >= :changed_from::bigint)
                and (:changed_to::bigint is null or e.changed < :changed_to::bigint)
                and (:tags::text[] = '{}' or coalesce(e.tags @> :tags::text[], false))
                and (:creator::text is null or e.creator = :creator)
                as fits
        from (
            (${>ready_ahead} ${>oldest_first})
            union all
            (${>ready_ahead} ${>newest_first})
            union all
            (${>resting_ahead} ${>oldest_first})
            union all
            (${>resting_ahead} ${>newest_first})
            union all
            (${>tagged_ahead} ${>oldest_first})
            union all
            (${>tagged_ahead} ${>newest_first})
        ) as ahead
        -- one by one, in the order of the strand: the planner could begin with the executions, whose order is another
        cross join lateral (
            select x.* from ${schema}.execution x where x.id = ahead.id offset 0
        ) as e
    ) as seen
    where seen.fits or seen.n = (select examined from bound)
    limit :max::integer
) as found
union all
(
    -- Of what is held there is never much, and the receipts know it.
    select e.id, e.submitted, e.seq, true, false
    from ${schema}.session h
    join ${schema}.receipt r on r.session = h.id
    cross join unnest(r.ids, r.epochs) as given (id, epoch)
    -- one by one: the planner would rather go through all that there is
    cross join lateral (
        select x.* from ${schema}.execution x where x.id = given.id and x.epoch = given.epoch and x.session = h.id and x.situation = 'running' offset 0
    ) as e
    where :held::boolean and not h.buried and (:worker::text is null or h.worker = :worker)
        and e.lane in (
            select l.id from ${schema}.lane l where l.namespace = :namespace and (:lane::text is null or l.name = :lane))
        and (e.submitted, e.seq) > (:low_submitted::bigint, :low_seq::bigint)
        and (e.submitted, e.seq) < (:high_submitted::bigint, :high_seq::bigint)
        and (:kind::text is null or e.gate in (select g.id from ${schema}.gate g where g.kind = :kind))
        and (:part::smallint is null or e.part = :part::smallint)
        and (:changed_from::bigint is null or e.changed >= :changed_from::bigint)
        and (:changed_to::bigint is null or e.changed < :changed_to::bigint)
        and (:tags::text[] = '{}' or coalesce(e.tags @> :tags::text[], false))
        and (:creator::text is null or e.creator = :creator)
    order by
        case when :newest_first::boolean then -e.submitted else e.submitted end,
        case when :newest_first::boolean then -e.seq else e.seq end
    limit :max::integer
)

-- name: inputs
select
    e.id, e.part, coalesce(e.input_type, 'application/octet-stream') as content_type,
    coalesce(e.input, (select p.bytes from ${schema}.payload p where p.id = e.id and not p.produced)) as bytes
from ${schema}.execution e
where e.id = any(:ids::uuid[])

-- name: results
select
    e.id, e.part, e.situation, coalesce(e.result_type, 'application/octet-stream') as content_type,
    case when e.situation = 'completed'
        then coalesce(e.result, (select p.bytes from ${schema}.payload p where p.id = e.id and p.produced)) end as bytes,
    e.failure_category as category, e.failure_message as message, e.failure_detail
from ${schema}.execution e
where e.id = any(:ids::uuid[])

-- fragment: waiting_situations
-- Of what neither can be claimed nor runs nor has ended. Said by name, because the index of inactive work begins with it.
('delayed', 'backing_off', 'resuming_later', 'awaiting_children', 'held_by_operator', 'granted', 'suspended')

-- name: counts
-- What lives is counted where it lives; what has ended was counted when it did. Ready work is counted per gate, and where it
-- reserves something per reservation.
with queue as materialized (
    select r.lane, r.gate, count(*) as count
    from ${schema}.ready r
    where r.lane in (select id from ${schema}.lane where namespace = :namespace)
    group by r.lane, r.gate
)
select
    l.id, l.namespace, l.name, l.state, jsonb_exists_any(l.settings, '{quotas,budgets}') as metered, c.gate, c.reserve, c.situation,
    sum(c.count)::bigint as count
from (
    select queue.lane, queue.gate, null::bigint[] as reserve, 'ready' as situation, queue.count
    from queue
    join ${schema}.lane_gate g on g.lane = queue.lane and g.gate = queue.gate
    where g.smallest is null
    union all
    select r.lane, r.gate, r.reserve, 'ready', count(*)
    from queue
    join ${schema}.lane_gate g on g.lane = queue.lane and g.gate = queue.gate
    join ${schema}.ready r on r.lane = queue.lane and r.gate = queue.gate
    where g.smallest is not null
    group by r.lane, r.gate, r.reserve
    union all
    select e.lane, null, null, 'running', count(*)
    from ${schema}.session h
    join ${schema}.receipt r on r.session = h.id
    cross join unnest(r.ids, r.epochs) as given (id, epoch)
    cross join lateral (
        select x.lane from ${schema}.execution x where x.id = given.id and x.epoch = given.epoch and x.session = h.id and x.situation = 'running' offset 0
    ) as e
    where not h.buried and e.lane in (select id from ${schema}.lane where namespace = :namespace)
    group by e.lane
    union all
    select r.lane, null, null, r.situation::text, count(*)
    from ${schema}.inactive r
    where r.lane in (select id from ${schema}.lane where namespace = :namespace)
        and r.situation in ${>waiting_situations}
    group by r.lane, r.situation
    union all
    select t.lane, null, null, t.situation::text, sum(t.change)
    from ${schema}.ended_count t
    where t.lane in (select id from ${schema}.lane where namespace = :namespace)
    group by t.lane, t.situation
) as c
join ${schema}.lane l on l.id = c.lane
where c.count <> 0
group by l.id, l.namespace, l.name, l.state, c.gate, c.reserve, c.situation

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

-- name: list_lanes
select id, namespace, name, settings::text as settings, since
from ${schema}.lane
where namespace = :namespace and name collate "C" > :after collate "C"
order by name collate "C"
limit :max::integer

-- name: lock_lane
select id, namespace, name, settings::text as settings, since
from ${schema}.lane
where namespace = :namespace and name = :name
for update

-- name: configure_lane
with ${>clock},
configured as (
    update ${schema}.lane l
    set state = :state::${schema}.lane_state, weight = :weight::integer, ageing = :ageing::bigint, sharing = :sharing::boolean,
        settings = :stored::jsonb, since = clock.now, changed_by = :actor, change_reason = :reason
    from clock
    where l.id = :id::integer
    returning l.id, clock.now
)
insert into ${schema}.event_${day} (kind, at, lane, actor, reason, payload)
select 'lane_changed', now, id, :actor, :reason, :payload::jsonb from configured

-- name: hold_quotas
-- They cannot be deleted until the lane names them.
select name from ${schema}.quota where namespace = :namespace and name = any(:names::text[]) and not deleted
order by id for share

-- name: hold_budgets
select name from ${schema}.budget where namespace = :namespace and name = any(:names::text[]) and not deleted
order by id for share

-- name: lane_that_names
-- Budgets are named with what is set aside of them.
select namespace, name from ${schema}.lane
where namespace = :namespace
    and (settings -> 'quotas' @> to_jsonb(:quota::text)
        or settings -> 'budgets' @> jsonb_build_array(jsonb_build_object('budget', :budget::text)))
order by name
limit 1

-- name: hold_lane_of
-- The lane of an execution stays as it is until the transaction is over.
select l.id from ${schema}.execution e join ${schema}.lane l on l.id = e.lane where e.id = :id::uuid for share of l

-- name: share_anew
-- No key has had a turn yet. Shares are locked in the order in which turns are drawn.
with held as materialized (
    select priority, key from ${schema}.share where lane = :id::integer order by priority, key for update
),
forgotten as (
    delete from ${schema}.share s using held where s.lane = :id::integer and s.priority = held.priority and s.key = held.key
)
delete from ${schema}.round where lane = :id::integer

-- name: rank_anew
-- Those that wait in the lane take the places that its new settings give them; where keys share, their rounds come later.
with waiting as materialized (
    select e.id
    from ${schema}.ready r
    join ${schema}.execution e on e.id = r.id
    where r.lane = :id::integer and e.situation = 'ready'
    order by e.id
    for update of e
),
moved as (
    update ${schema}.execution e
    set rank = ${schema}.place_of(e.priority, e.submitted, :ageing::bigint, :sharing::boolean)
    from waiting
    where e.id = waiting.id
    returning e.id, e.rank, e.lane, e.gate, e.seq
)
update ${schema}.ready r set rank = moved.rank, share = null
from moved
where r.lane = moved.lane and r.gate = moved.gate and r.seq = moved.seq and r.id = moved.id

-- name: fresh_in
select id from ${schema}.ready where lane = :id::integer and fresh order by seq
