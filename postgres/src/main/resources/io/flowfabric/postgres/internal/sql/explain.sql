-- name: one_moment
-- All that is said about an execution is said of one moment.
set transaction isolation level repeatable read, read only

-- name: circumstances
-- What is to be known about an execution besides what it is.
select
    ${>now} as now,
    e.situation = 'ready' as ready, e.lane, e.gate, e.rank, e.next = 'first' as fresh, e.seq,
    l.namespace, l.name,
    e.session, e.since, h.worker, h.instance, h.alive_until - h.ttl as last_heard, least(h.alive_until, h.died) as alive_until,
    step.transition, step.at, step.actor, step.reason,
    case when e.waited then (select w.body from ${schema}.awaiting w where w.id = e.id) end as awaiting, e.replays,
    case when e.situation = 'awaiting_children' then e.flow end as waits_in
from ${schema}.execution e
join ${schema}.lane l on l.id = e.lane
left join ${schema}.session h on h.id = e.session
left join lateral (
    -- the step that led to where it is; those that only changed its priority may have come after it
    select v.transition, v.at, v.actor, v.reason
    from ${schema}.event v
    where v.execution = e.id and v.transition <> 'reprioritise'
    order by v.id desc
    limit 1
) as step on true
where e.id = :id::uuid and e.part = :part::smallint

-- name: pending_upstreams
-- A member that waits for others, with the first of those that have not ended: a row for each, or one without a name. None of a
-- member that is decided: it waits for something else.
select
    m.quorum, m.growing, m.edges, m.met, m.missed, pending.name, pending.situation
from ${schema}.flow_member m
left join lateral (
    select u.name, e.situation, g.upstream
    from (
        -- in this order and no further than needed: those that have ended may be many
        select i.upstream
        from ${schema}.flow_edge i
        where i.flow = :flow::uuid and i.downstream = m.number
        order by i.upstream
        offset 0
    ) as g
    cross join lateral (
        select o.name, o.execution, o.outcome from ${schema}.flow_member o where o.flow = :flow::uuid and o.number = g.upstream limit 1
    ) as u
    cross join lateral (
        select x.situation from ${schema}.execution x where x.id = u.execution limit 1
    ) as e
    where u.outcome is null
    order by g.upstream
    limit :limit::integer
) as pending on true
where m.execution = :id::uuid and m.flow = :flow::uuid and m.decided = 'pending'
order by pending.upstream

-- name: lane_changed_by
-- Who made a lane what it is, where it is not as lanes begin.
select changed_by as actor, change_reason as reason
from ${schema}.lane
where id = :lane::integer and state <> 'active' and changed_by is not null

-- name: gates_of_lane
select gate from ${schema}.lane_gate where lane = :lane::integer

-- name: ahead
-- How many come before it behind gates that the same workers pass, in the order of claims; no more than asked for. Those that
-- reserve more than is left are not before anything.
select count(*) as ahead
from (
    select
    from (
        select g.gate, case when g.smallest is not null then ${>amounts_left} end as affordable
        from ${schema}.lane_gate g
        where g.lane = :lane::integer and g.gate = any(:gates::integer[])
    ) as rival
    cross join lateral (
        select
        from ${schema}.ready r
        where r.lane = :lane::integer and r.gate = rival.gate
            and (r.rank, r.fresh, r.seq) < (:rank::bigint, :fresh::boolean, :seq::bigint)
            and (r.deadline is null or r.deadline > :now::bigint)
            and ${>fits}
        -- from its own place on: at the front is what was claimed just now, and is not yet cleared away
        order by r.rank desc, r.fresh desc, r.seq desc
        limit :most::integer
    ) as earlier
    limit :most::integer
) as counted

-- name: waiting_in
-- What waits in a lane: ready work per gate and reservation, and the rest per situation.
select lg.gate, null::bigint[] as reserve, 'ready' as situation, queue.count
from ${schema}.lane_gate lg
cross join lateral (
    select count(*) as count from ${schema}.ready r where r.lane = lg.lane and r.gate = lg.gate
) as queue
where lg.lane = :lane::integer and lg.smallest is null and queue.count > 0
union all
select r.gate, r.reserve, 'ready', count(*)
from ${schema}.lane_gate lg
join ${schema}.ready r on r.lane = lg.lane and r.gate = lg.gate
where lg.lane = :lane::integer and lg.smallest is not null
group by r.gate, r.reserve
union all
select null, null, 'running', count(*)
from ${schema}.session h
join ${schema}.receipt r on r.session = h.id
cross join unnest(r.ids, r.epochs) as given (id, epoch)
-- one by one: the planner would rather go through all that there is
cross join lateral (
    select x.lane from ${schema}.execution x where x.id = given.id and x.epoch = given.epoch and x.session = h.id and x.situation = 'running' offset 0
) as e
where not h.buried and e.lane = :lane::integer
union all
select null, null, i.situation::text, count(*)
from ${schema}.inactive i
where i.lane = :lane::integer and i.situation in ${>waiting_situations}
group by i.situation
