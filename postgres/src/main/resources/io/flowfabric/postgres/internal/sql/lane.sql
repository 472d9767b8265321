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
        settings = :stored::jsonb, changed = clock.now, changed_by = :actor, change_reason = :reason
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
