-- name: describe
select
    e.id, e.part, e.seq, e.lane, e.gate, e.terms, e.situation, e.next, e.until, e.delayed_by, e.detail, e.priority, e.attempts,
    e.epoch, e.retries, e.reclaims, e.replays, e.session, e.since, e.deadline, e.submitted, e.changed,
    e.progress_percent, e.progress_message, e.progress_at,
    s.priority as first_priority, s.start_due, s.deadline_due, s.creator, s.key, s.tags,
    l.state as lane_state, f.category, f.message, f.detail as failure_detail, w.worker, w.instance
from ${schema}.execution e
left join ${schema}.submission s on s.id = e.id
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.failure f on f.id = e.id
left join ${schema}.session w on w.id = e.session
where e.id = any(:ids::uuid[])

-- name: search
-- Lane by lane in the order of submission, and only as far as the page reaches.
select found.id, found.seq
from ${schema}.lane l
cross join lateral (
    select e.id, e.seq
    from ${schema}.execution e
    join ${schema}.submission s on s.id = e.id
    where e.lane = l.id and e.seq > coalesce(:after::bigint, 0)
        and (:any_state::boolean or e.situation::text = any(:situations::text[]))
        and (:kind::text is null or e.gate in (select g.id from ${schema}.gate g where g.kind = :kind))
        and s.tags @> :tags::text[]
    order by e.seq
    limit :max::integer
) as found
where l.namespace = :namespace and (:lane::text is null or l.name = :lane)
order by found.seq
limit :max::integer

-- name: search_backwards
select found.id, found.seq
from ${schema}.lane l
cross join lateral (
    select e.id, e.seq
    from ${schema}.execution e
    join ${schema}.submission s on s.id = e.id
    where e.lane = l.id and e.seq < coalesce(:after::bigint, 9223372036854775807)
        and (:any_state::boolean or e.situation::text = any(:situations::text[]))
        and (:kind::text is null or e.gate in (select g.id from ${schema}.gate g where g.kind = :kind))
        and s.tags @> :tags::text[]
    order by e.seq desc
    limit :max::integer
) as found
where l.namespace = :namespace and (:lane::text is null or l.name = :lane)
order by found.seq desc
limit :max::integer

-- name: inputs
select e.id, e.part, s.content_type, s.input as bytes
from ${schema}.execution e
join ${schema}.submission s on s.id = e.id
where e.id = any(:ids::uuid[])

-- name: results
select
    e.id, e.part, e.situation, r.content_type, r.bytes, f.category, f.message, f.detail as failure_detail
from ${schema}.execution e
left join ${schema}.result r on r.id = e.id
left join ${schema}.failure f on f.id = e.id
where e.id = any(:ids::uuid[])

-- name: allow_scans
-- For what reads a table whole, which is done best in one go.
set local enable_seqscan = on

-- name: counts
select l.id, l.namespace, l.name, e.situation, count(*) as count
from ${schema}.execution e
join ${schema}.lane l on l.id = e.lane
where l.namespace = :namespace
group by l.id, l.namespace, l.name, e.situation

-- name: list_lanes
select id, namespace, name, state, weight, ageing, since
from ${schema}.lane
where namespace = :namespace and name collate "C" > :after collate "C"
order by name collate "C"
limit :max::integer

-- name: lock_lane
select id, namespace, name, state, weight, ageing, since
from ${schema}.lane
where namespace = :namespace and name = :name
for update

-- name: configure_lane
with clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
configured as (
    update ${schema}.lane l
    set state = :state::${schema}.lane_state, weight = :weight::integer, ageing = :ageing::bigint, since = clock.now
    from clock
    where l.id = :id::integer
    returning l.id, clock.now
)
insert into ${schema}.event (at, lane, actor, reason, settings)
select now, id, :actor, :reason, :settings from configured

-- name: rank_anew
-- Those that wait in the lane take the places that its new ageing gives them.
with moved as (
    update ${schema}.execution e
    set rank = case when :ageing::bigint is null then -e.priority else e.submitted - e.priority * :ageing::bigint end
    from ${schema}.ready r
    where r.lane = :id::integer and e.id = r.id
    returning e.id, e.rank, e.lane, e.gate, e.seq
)
update ${schema}.ready r set rank = moved.rank
from moved
where r.lane = moved.lane and r.gate = moved.gate and r.seq = moved.seq and r.id = moved.id
