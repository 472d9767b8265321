-- name: list_lanes
select ${>lane_columns}
from ${schema}.lane
where namespace = :namespace and name collate "C" > :after collate "C"
order by name collate "C"
limit :max::integer

-- name: lock_lane
select ${>lane_columns}
from ${schema}.lane
where namespace = :namespace and name = :name
for update

-- name: configure_lane
with ${>clock},
configured as (
    update ${schema}.lane l
    set state = :state::${schema}.lane_state, weight = :weight::integer, ageing = :ageing::bigint, sharing = :sharing::boolean,
        settings = :stored::jsonb, changed = clock.now, changed_by = :actor, change_reason = :reason,
        ranked_by = case when :ranks::boolean then pg_current_xact_id() else l.ranked_by end
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

-- name: renew_generations
-- Whoever submits to a lane of the namespace has to look up again what the work names.
with held as (
    select id from ${schema}.lane where namespace = :namespace order by id for no key update
)
update ${schema}.lane l set generation = l.generation + 1 from held where l.id = held.id

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
-- No key has had a turn yet, and rounds begin behind all that were given: what still has one of those is told by it. Shares are
-- locked in the order in which turns are drawn.
with held as materialized (
    select priority, key, round from ${schema}.share where lane = :id::integer order by priority, key for update
),
forgotten as (
    delete from ${schema}.share s using held where s.lane = :id::integer and s.priority = held.priority and s.key = held.key
),
ended as (
    delete from ${schema}.round where lane = :id::integer returning reached
)
update ${schema}.lane l
set first_round = greatest(l.first_round, 1 + (select max(round) from held), 1 + (select max(reached) from ended))
where l.id = :id::integer

-- name: lanes_to_rank
-- Where work may wait in places that the lane would not give it now, and whether a transaction may be left that has a snapshot
-- from before the change: such a snapshot is no younger than the change. After a restore the change may be one that this server
-- has not reached; then there is none. What is hidden from our user and may use the schema counts as one.
select
    l.id, l.ranked_by::text as ranked_by,
    case
        when l.ranked_by >= pg_snapshot_xmax(pg_current_snapshot()) then 'none'
        when exists (
            select from pg_stat_activity a
            where age(a.backend_xmin) >= age(l.ranked_by::xid) and a.datname = current_database()
                and a.backend_type is distinct from 'autovacuum worker') then 'some'
        when exists (
            select from pg_stat_activity a
            where a.query = '<insufficient privilege>' and a.datname = current_database()
                and has_schema_privilege(a.usesysid, '${schema}', 'usage')) then 'hidden'
        else 'none' end as unaware
from ${schema}.lane l
where l.ranked_by is not null and (:lane::integer is null or l.id = :lane::integer)
order by l.id

-- name: newest_number
-- Of a transaction, above those of all others that have one.
select pg_current_xact_id()::text as number

-- name: all_before_are_over
-- Whether no transaction is left that has a smaller number. After a restore it may be one that this server has not reached.
select
    :number::xid8 < pg_snapshot_xmin(pg_current_snapshot())
    or :number::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) as over

-- name: places_in
-- A piece of what waits in a lane, in the order of submission, and what of it is out of place.
select r.submitted, r.seq, r.id, coalesce(${>misplaced}, false) as misplaced
from ${schema}.lane l
cross join lateral (
    select q.submitted, q.seq, q.id, q.rank, q.fresh, q.share
    from ${schema}.ready q
    where q.lane = l.id and (q.submitted, q.seq) > (:after_submitted::bigint, :after_seq::bigint)
    order by q.submitted, q.seq
    limit :limit::integer
) as r
left join ${schema}.execution e on e.id = r.id
where l.id = :lane::integer
order by r.submitted, r.seq

-- fragment: misplaced
-- Whether an entry r of an execution e is not where its lane l would place it now. Where keys share, fresh work is in the round
-- that it was given, since they do.
    case when l.sharing and r.fresh
        then r.share is null or r.rank < ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing) + l.first_round
        else r.share is not null or r.rank <> ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing) end

-- name: take_lane_to_rank
-- Whether no other process is moving what waits in the lane. It spares both the trouble; nothing else depends on it.
select pg_try_advisory_xact_lock(hashtextextended('${schema}.ranks', :lane::integer)) as taken

-- name: lock_waiting
-- Those that still wait. What another transaction has locked is passed over: it is being claimed, or changed.
with waiting as materialized (
    select e.id, e.lane, e.gate, e.rank, e.next = 'first' as fresh, e.seq
    from ${schema}.execution e
    where e.id = any(:ids::uuid[]) and e.situation = 'ready'
    order by e.id
    for update skip locked
)
select e.id
from waiting e
cross join lateral (
    select from ${schema}.ready r where ${>entry_of} for update skip locked
) as entry

-- fragment: entry_of
-- The entry r of something e that is ready: at most one, found by its key.
    r.lane = e.lane and r.gate = e.gate and r.rank = e.rank and r.fresh = e.fresh and r.seq = e.seq

-- name: rank_anew
-- Those that the caller has locked, and that are out of place still, take the places that the lane gives them; where keys share,
-- the rounds of fresh work come later. A statement of its own: what it sees of their entries is from after the locks.
with waiting as materialized (
    select e.id, e.lane, e.gate, e.rank, e.next = 'first' as fresh, e.seq, e.priority, e.submitted
    from ${schema}.execution e
    where e.id = any(:ids::uuid[])
),
astray as materialized (
    select
        e.id, r.rank as was, r.fresh, ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing) as place,
        l.sharing and r.fresh as needs_round
    from waiting e
    join ${schema}.lane l on l.id = e.lane
    cross join lateral (
        -- with a limit, or the planner might look at all of the lane for each
        select r.rank, r.fresh, r.share from ${schema}.ready r where ${>entry_of} limit 1
    ) as r
    where ${>misplaced}
),
moved as (
    update ${schema}.execution e
    set rank = astray.place
    from astray
    where e.id = astray.id
    returning e.id, e.rank, e.lane, e.gate, e.seq, astray.was, astray.fresh, astray.needs_round
)
update ${schema}.ready r set rank = moved.rank, share = null
from moved
where r.lane = moved.lane and r.gate = moved.gate and r.rank = moved.was and r.fresh = moved.fresh and r.seq = moved.seq
returning r.id, moved.needs_round

-- name: ranked
update ${schema}.lane set ranked_by = null where id = :lane::integer and ranked_by = :ranked_by::xid8
