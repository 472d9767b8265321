-- name: gate_sweep
-- Which step is next in removing gates without work. Whoever has not seen that gates are retired may still write behind them until
-- its transaction ends. It has a snapshot from before the fence, or had one and has a number by now. So, once no such snapshot is
-- left, a second fence is put above all those numbers, and when all transactions before that have ended nobody is left. After a
-- restore the fence may be one that this server has not reached; then there is nobody either. What is hidden from our user and may
-- use the schema counts as somebody.
select
    case
        when s.step = 'resting' then case when made.last_value >= s.begins_at then 'retire' else 'wait' end
        when s.step = 'retired' then 'fence'
        when s.fence <= seen.xmax and s.fence > seen.xmin then 'wait'
        when s.step = 'heard' then case when s.busy_until <= ${>now} then 'remove' else 'wait' end
        when s.fence <= seen.xmax and exists (
            select from pg_stat_activity a where age(a.backend_xmin) > age((s.fence & 4294967295)::text::xid)) then 'wait'
        when s.fence <= seen.xmax and exists (
            select from pg_stat_activity a
            where a.query = '<insufficient privilege>' and a.datname = current_database()
                and has_schema_privilege(a.usesysid, '${schema}', 'usage')) then 'blind'
        else 'hear' end as word,
    s.fence
from ${schema}.gate_sweep s
cross join ${schema}.gate_id_seq made
cross join (
    select txid_snapshot_xmin(txid_current_snapshot()) as xmin, txid_snapshot_xmax(txid_current_snapshot()) as xmax) as seen

-- name: lanes_to_retire
select l.id
from ${schema}.lane l
where exists (select from ${schema}.lane_gate g where g.lane = l.id and g.generation >= l.swept)
order by l.id

-- name: hold_gate_sweep
-- As long as it is held, no other engine goes on to the next step.
select begins_at from ${schema}.gate_sweep where step = 'resting' for share

-- name: short_patience
-- Lanes are held for the length of a commit by those that get a gate.
set local lock_timeout = '2s'

-- name: retire_gates
update ${schema}.lane set generation = generation + 1, swept = generation + 1 where id = :lane::integer

-- name: gates_retired
update ${schema}.gate_sweep set step = 'retired' where step = 'resting'

-- name: fence_gates
-- A statement of its own, so that every snapshot from after the fence shows that gates are retired.
update ${schema}.gate_sweep set step = 'fenced', fence = txid_current() where step = 'retired'

-- name: gates_heard
update ${schema}.gate_sweep set step = 'heard', fence = txid_current() where step = 'fenced' and fence = :fence::bigint

-- name: take_gate_sweep
-- One engine removes; when it dies another one takes over.
update ${schema}.gate_sweep set busy_until = ${>now} + :span::bigint
where step = 'heard' and fence = :fence::bigint and busy_until <= ${>now}

-- name: long_patience
-- Reading all executions may take a while.
set local statement_timeout = '10min'

-- name: unused_gates
-- Gates of lanes that were retired before the fence, and that nothing refers to.
select g.lane, g.gate, g.generation
from ${schema}.gate_sweep s
join ${schema}.lane_gate g on s.fence = :fence::bigint
join ${schema}.lane l on l.id = g.lane and g.generation < l.swept
join (
    select lane, gate from ${schema}.lane_gate
    except
    select lane, gate from ${schema}.execution
) as unused on unused.lane = g.lane and unused.gate = g.gate
order by g.lane, g.gate

-- name: hold_lanes
select id from ${schema}.lane where id = any(:ids::integer[]) order by id for no key update

-- name: remove_lane_gates
-- Of lanes that the caller holds; those behind which work was announced since they were listed stay.
delete from ${schema}.lane_gate g
using unnest(:lanes::integer[], :gates::integer[], :generations::bigint[]) as unused (lane, gate, generation)
where g.lane = unused.lane and g.gate = unused.gate and g.generation = unused.generation

-- name: remove_lane_meters
-- Those that no gate of a lane counts against, of a lane that the caller holds.
delete from ${schema}.lane_meter m
using (
    select meter from ${schema}.lane_meter where lane = :lane::integer
    except
    select meter from ${schema}.lane_gate g cross join unnest(g.meters) as meter where g.lane = :lane::integer
) as unused
where m.lane = :lane::integer and m.meter = unused.meter

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
set step = 'resting', fence = null, busy_until = 0,
    begins_at = (select last_value from ${schema}.gate_id_seq) + (select count(*) from ${schema}.gate) + 1000
where fence = :fence::bigint
