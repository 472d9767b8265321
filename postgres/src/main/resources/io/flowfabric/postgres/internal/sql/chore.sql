-- name: due_kinds
select kind
from unnest(enum_range(null::${schema}.timer_kind)) as kind
where exists (
    select from ${schema}.timer t
    where t.kind = kind.kind and t.due <= ${>now})

-- name: due
-- What is due of one kind, the longest overdue first. Nothing is locked yet: rows are locked before
-- their timers, here as everywhere.
select t.id
from ${schema}.timer t
where t.kind = :kind::${schema}.timer_kind
    and t.due <= ${>now}
order by t.due, t.id
limit :limit::integer

-- name: rearm
update ${schema}.timer t set due = later.due
from unnest(:ids::uuid[], :dues::bigint[]) as later (id, due)
where t.id = later.id and t.kind = :kind::${schema}.timer_kind

-- name: disarm
-- Of executions that the caller has locked, and of some that are gone: of those another engine may do the same.
delete from ${schema}.timer
where kind = :kind::${schema}.timer_kind and id in (
    select id from ${schema}.timer
    where id = any(:ids::uuid[]) and kind = :kind::${schema}.timer_kind
    order by id
    for update skip locked)

-- name: next_due
select min(due) - ${>now} as "left"
from (
    (select due from ${schema}.timer where kind = 'deadline' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'attempt' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'stall' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'wake' order by due limit 1)
    union all
    (select due from ${schema}.timer where kind = 'grant' order by due limit 1)
    union all
    (select reopens_at from ${schema}.meter where reopens_at is not null order by reopens_at limit 1)
    union all
    (select resets from ${schema}.meter where resets is not null order by resets limit 1)
    union all
    (select alive_until from ${schema}.session where not buried order by alive_until limit 1)
    union all
    -- the engine that ended this one did not come to return its work
    (select 0 from ${schema}.session where dead and not buried limit 1)
) next

-- name: forget
-- Forgets ended executions whose time is over, with everything that is theirs. The state rows are locked
-- first, here as everywhere, passing over those that another transaction has locked.
with ${>clock},
over as (
    (
        select r.ctid as place, r.id, r.ended
        from ${schema}.inactive r
        where r.due <= (select now from clock)
        order by r.due
        limit :limit::integer
    )
    union all
    (
        select late.place, late.id, late.ended
        from ${schema}.lane l
        left join ${schema}.namespace n on n.name = l.namespace
        cross join lateral (
            select r.ctid as place, r.id, r.ended
            from ${schema}.inactive r
            where r.lane = l.id and r.due is null
                and r.ended <= (select now from clock) - coalesce(n.retention, :retention::bigint)
            order by r.ended
            limit :limit::integer
        ) as late
        limit :limit::integer
    )
    limit :limit::integer
),
locked as (
    -- one that was replayed since has changed since
    select over.place, e.id
    from over
    join ${schema}.execution e on e.id = over.id and e.changed = over.ended
    order by e.id
    for update of e skip locked
),
rest as (
    delete from ${schema}.inactive r where r.ctid = any(array(select place from locked))
),
gone as (
    delete from ${schema}.execution e where e.id = any(array(select id from locked))
    returning e.id, e.lane, e.situation, e.submitted, e.seq, e.key, e.tags, 
        e.input is null or (e.situation = 'completed' and e.result is null) as stored
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, -count(*) from gone group by lane, situation
),
unkeyed as (
    delete from ${schema}.idempotency i
    using gone, ${schema}.lane l
    where gone.key is not null and l.id = gone.lane and i.namespace = l.namespace and i.key = gone.key
),
untagged as (
    delete from ${schema}.tag t
    using (select lane, unnest(tags) as word, submitted, seq from gone where tags is not null) as told
    where t.lane = told.lane and t.word = told.word and t.submitted = told.submitted and t.seq = told.seq
),
unstored as (
    delete from ${schema}.payload p using gone where gone.stored and p.id = gone.id
),
unspent as (
    delete from ${schema}.spending p using gone where p.execution = gone.id
)
select (select count(*) from over) as seen, (select count(*) from gone) as forgotten

-- name: erase
-- Forgets ended executions, whose rows the caller has locked, with everything that is theirs and with what
-- was told about them. What remains to be told is that they were erased.
with ${>clock},
gone as (
    delete from ${schema}.execution e
    using ${schema}.lane l
    where e.id = any(:ids::uuid[]) and l.id = e.lane
    returning e.id, e.part, e.lane, e.situation, e.submitted, e.seq, e.key, e.tags, l.namespace
),
rest as (
    delete from ${schema}.inactive r
    using gone
    where r.lane = gone.lane and r.situation = gone.situation and r.submitted = gone.submitted and r.seq = gone.seq
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, -count(*) from gone group by lane, situation
),
unkeyed as (
    delete from ${schema}.idempotency i
    using gone
    where gone.key is not null and i.namespace = gone.namespace and i.key = gone.key
),
untagged as (
    delete from ${schema}.tag t
    using (select lane, unnest(tags) as word, submitted, seq from gone where tags is not null) as told
    where t.lane = told.lane and t.word = told.word and t.submitted = told.submitted and t.seq = told.seq
),
unstored as (
    delete from ${schema}.payload p using gone where p.id = gone.id
),
unspent as (
    delete from ${schema}.spending p using gone where p.execution = gone.id
),
untold as (
    delete from ${schema}.event v using gone where v.execution = gone.id and v.kind = 'step'
)
insert into ${schema}.event_${day} (kind, at, execution, part, lane, actor, reason)
select 'erased', clock.now, gone.id, gone.part, gone.lane, :actor, :reason from gone, clock

-- name: forget_shares
-- A key whose round is over joins the one that is on, like one that was never heard of.
delete from ${schema}.share
where ctid = any(array(
    select s.ctid
    from ${schema}.round r
    join ${schema}.share s on s.lane = r.lane and s.priority = r.priority and s.round < r.reached
    limit :limit::integer
    for update of s skip locked))

-- name: add_up
-- Makes few rows of many; their sum stays the same.
with summand as (
    delete from ${schema}.ended_count
    where ctid = any(array(select ctid from ${schema}.ended_count limit :limit::integer for update skip locked))
    returning lane, situation, change
)
insert into ${schema}.ended_count (lane, situation, change)
select lane, situation, sum(change) from summand group by lane, situation having sum(change) <> 0

-- name: aged_days
-- The days of the log that have something too old, and whether they have something else besides.
select day, mixed from ${schema}.aged_days(:before::bigint)

-- name: patience
-- A reader of an old day must not keep others from reading any.
set local lock_timeout = '100ms'

-- name: lock_horizon
-- Before the events, in the order in which an era begins.
select dropped from ${schema}.event_log for update

-- name: empty_day
select ${schema}.empty_day(:day::integer, :before::bigint) as last

-- name: forget_events
select ${schema}.forget_events(:day::integer, :before::bigint, :limit::integer) as last

-- name: move_horizon
update ${schema}.event_log set dropped = greatest(dropped, :last::bigint)

-- name: unknown
select wanted.id from unnest(:ids::uuid[]) as wanted (id)
where not exists (select from ${schema}.execution e where e.id = wanted.id)

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
