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
-- No key has had a turn yet. Shares are locked in the order in which turns are drawn.
with held as materialized (
    select priority, key from ${schema}.share where lane = :id::integer order by priority, key for update
),
forgotten as (
    delete from ${schema}.share s using held where s.lane = :id::integer and s.priority = held.priority and s.key = held.key
)
delete from ${schema}.round where lane = :id::integer

-- name: lanes_to_rank
-- Where work may wait in places that the lane would not give it now, and whether everything that was queued beside the change can
-- be seen by now.
select l.id, l.ranked_by::text as ranked_by, l.ranked_by < pg_snapshot_xmin(pg_current_snapshot()) as settled
from ${schema}.lane l
where l.ranked_by is not null and (:lane::integer is null or l.id = :lane::integer)
order by l.id

-- name: places_in
-- A piece of what waits in a lane, in the order of submission, and what of it is not where the lane would place it now. Where
-- keys share, fresh work is in the round that it was given.
select
    piece.submitted, piece.seq, piece.id,
    case when l.sharing and piece.fresh then piece.share is null
        else piece.share is not null or piece.rank <> ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing) end as misplaced
from ${schema}.lane l
cross join lateral (
    select r.submitted, r.seq, r.id, r.rank, r.fresh, r.share
    from ${schema}.ready r
    where r.lane = l.id and (r.submitted, r.seq) > (:after_submitted::bigint, :after_seq::bigint)
    order by r.submitted, r.seq
    limit :limit::integer
) as piece
join ${schema}.execution e on e.id = piece.id
where l.id = :lane::integer
order by piece.submitted, piece.seq

-- name: rank_anew
-- Those that still wait take the places that the lane gives them; where keys share, the rounds of fresh work come later. What
-- another transaction has locked is passed over: it is being claimed, or changed.
with waiting as materialized (
    select e.id, e.rank as was, e.next = 'first' as fresh
    from ${schema}.execution e
    where e.id = any(:ids::uuid[]) and e.situation = 'ready'
    order by e.id
    for update skip locked
),
moved as (
    update ${schema}.execution e
    set rank = ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing)
    from waiting
    cross join ${schema}.lane l
    where e.id = waiting.id and l.id = e.lane
    returning e.id, e.rank, e.lane, e.gate, e.seq, waiting.was, waiting.fresh, waiting.fresh and l.sharing as needs_round
),
queued as (
    update ${schema}.ready r set rank = moved.rank, share = null
    from moved
    where r.lane = moved.lane and r.gate = moved.gate and r.rank = moved.was and r.fresh = moved.fresh and r.seq = moved.seq
)
select id, needs_round from moved

-- name: ranked
update ${schema}.lane set ranked_by = null where id = :lane::integer and ranked_by = :ranked_by::xid8
