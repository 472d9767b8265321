-- name: describe
select
    e.id, e.part, e.seq, e.lane, e.gate, e.policy, e.situation, e.next, e.until, e.delayed_by, e.detail, e.priority, e.attempts,
    e.epoch, e.retries, e.reclaims, e.replays, e.session, e.since, e.deadline, e.submitted, e.changed,
    e.progress_percent, e.progress_message, e.progress_at, e.share,
    ${>asked_columns}, e.creator, e.key, coalesce(e.tags, '{}') as tags,
    l.state as lane_state, e.failure_category as category, e.failure_message as message, e.failure_detail, e.ended_by, e.end_reason,
    w.worker, w.instance, least(w.alive_until, w.died) as alive_until
from ${schema}.execution e
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.session w on w.id = e.session
where e.id = any(:ids::uuid[])

-- fragment: ready_ahead
    select x.id, x.submitted, x.seq from ${schema}.ready x
    where strand.source = 'ready' and x.lane = strand.lane and ${>in_span}

-- fragment: inactive_ahead
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
            (${>inactive_ahead} ${>oldest_first})
            union all
            (${>inactive_ahead} ${>newest_first})
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
    e.failure_category as category, e.failure_message as message, e.failure_detail, e.ended_by, e.end_reason
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
