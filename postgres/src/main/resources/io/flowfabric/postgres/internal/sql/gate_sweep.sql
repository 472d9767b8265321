-- name: gate_sweep
-- What is to be done about gates without work. Those that are retired may be looked at once every transaction has ended that
-- may have begun before they were: the snapshots of those that have written nothing yet are in pg_stat_activity. After a
-- restore the fence may be one that this server has not reached; then there is no such transaction.
select
    case
        when not s.retired then case when made.last_value >= s.begins_at then 'retire' else 'nothing' end
        when s.fence is null then 'fence'
        when s.fence > seen.xmax or (s.fence <= seen.xmin and not exists (
            select from pg_stat_activity a where age(a.backend_xmin) > seen.xmax - s.fence)) then 'remove'
        else 'nothing' end as word,
    s.fence
from ${schema}.gate_sweep s
cross join ${schema}.gate_id_seq made
cross join (
    select txid_snapshot_xmin(txid_current_snapshot()) as xmin, txid_snapshot_xmax(txid_current_snapshot()) as xmax) as seen

-- name: retire_gates
-- Lanes that somebody holds, because they get a gate right now, keep theirs until the next time.
with sweep as (
    update ${schema}.gate_sweep set retired = true where not retired returning retired
),
held as (
    select l.id
    from ${schema}.lane l
    where exists (select from sweep) and exists (select from ${schema}.lane_gate g where g.lane = l.id and g.generation = l.generation)
    order by l.id
    for no key update of l skip locked
)
update ${schema}.lane set generation = generation + 1 where id in (select id from held)

-- name: fence_gates
-- A statement of its own, so that whoever has not seen that gates are retired comes before the fence.
update ${schema}.gate_sweep set fence = txid_snapshot_xmax(txid_current_snapshot()) where retired and fence is null

-- name: unused_gates
-- Gates of lanes that were retired before the fence, and that nothing refers to.
select g.lane, g.gate, g.generation
from ${schema}.gate_sweep s
join ${schema}.lane_gate g on s.fence = :fence::bigint
join ${schema}.lane l on l.id = g.lane and l.generation > g.generation
join (
    select lane, gate from ${schema}.lane_gate
    except
    select lane, gate from ${schema}.execution
) as unused on unused.lane = g.lane and unused.gate = g.gate

-- name: hold_free_lanes
select id from ${schema}.lane where id = any(:ids::integer[]) order by id for no key update skip locked

-- name: remove_lane_gates
-- Of lanes that the caller holds; those behind which work was announced since they were listed stay.
delete from ${schema}.lane_gate g
using unnest(:lanes::integer[], :gates::integer[], :generations::bigint[]) as unused (lane, gate, generation)
where g.lane = unused.lane and g.gate = unused.gate and g.generation = unused.generation

-- name: remove_lane_meters
-- Those that no gate of a lane counts against, of lanes that the caller holds.
delete from ${schema}.lane_meter m
where m.lane = any(:lanes::integer[]) and (m.lane, m.meter) not in (
    select g.lane, meter from ${schema}.lane_gate g cross join unnest(g.meters) as meter where g.lane = any(:lanes::integer[]))

-- name: gates_without_lane
select id from ${schema}.gate g where not exists (select from ${schema}.lane_gate l where l.gate = g.id)

-- name: lock_free_gates
select id from ${schema}.gate where id = any(:ids::integer[]) order by id for update skip locked

-- name: remove_gates
-- The caller has locked them: no lane gets one of them before they are gone.
delete from ${schema}.gate g
where g.id = any(:ids::integer[]) and not exists (select from ${schema}.lane_gate l where l.gate = g.id)

-- name: meters_without_lane
-- Of the keys of quotas, those that nothing waits for, runs under or has started within the window of the rate.
select m.id
from ${schema}.meter m
where ${>idle_meter}

-- fragment: idle_meter
m.quota is not null and m.key <> '' and m.running = 0 and m.reserved = 0 and m.reopens_at is null
    and not exists (select from unnest(m.window_starts) as start where start > ${>now} - m.window_ms)
    and not exists (select from ${schema}.lane_meter l where l.meter = m.id)

-- name: lock_free_meters
select id from ${schema}.meter where id = any(:ids::integer[]) order by id for update skip locked

-- name: remove_meters
-- The caller has locked them.
delete from ${schema}.meter m where m.id = any(:ids::integer[]) and ${>idle_meter}

-- name: end_gate_sweep
-- The next one begins when as many gates have been made as were left: what it costs is shared by those that made them.
update ${schema}.gate_sweep
set retired = false, fence = null,
    begins_at = (select last_value from ${schema}.gate_id_seq) + (select count(*) from ${schema}.gate) + 1000
where fence = :fence::bigint
