-- name: claim
-- Chooses per lane and gate in index order, merges by the turns of the lanes, and locks only what it
-- takes; what somebody else has locked it passes over.
with clock as (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
claimer as (
    select s.id, s.namespace, s.lanes, s.kinds, s.offers, clock.now
    from ${schema}.session s
    cross join clock
    where s.id = :session::uuid and not s.dead and s.alive_until > clock.now
        -- a number that was heard before gives nothing new
        and (:again::boolean or (:number::bigint > s.acknowledged and not exists (
            select from ${schema}.receipt r where r.session = s.id and r.number = :number::bigint)))
    for key share of s
),
visible as (
    select lane.id as lane, lane.weight, gate.id as gate, claimer.now
    from claimer
    join ${schema}.lane on lane.namespace = claimer.namespace and lane.name = any(claimer.lanes)
        and lane.state in ('active', 'draining')
    join ${schema}.lane_gate on lane_gate.lane = lane.id
    join ${schema}.gate on gate.id = lane_gate.gate
    where gate.needs <@ claimer.offers
        and (cardinality(claimer.kinds) = 0 or gate.kind = any(claimer.kinds))
),
candidate as (
    select visible.lane, visible.weight, visible.gate, head.*
    from visible
    cross join lateral (
        select r.rank, r.fresh, r.seq, r.id
        from ${schema}.ready r
        where r.lane = visible.lane and r.gate = visible.gate
            and (r.deadline is null or r.deadline > visible.now)
        order by r.rank, r.fresh, r.seq
        limit :window::integer
    ) head
),
turn as (
    select
        c.*,
        coalesce(pass.start, :pass::double precision)
            + (row_number() over (partition by c.lane order by c.rank, c.fresh, c.seq) - 1) / c.weight::double precision
            as turn
    from candidate c
    left join unnest(:pass_lanes::integer[], :pass_starts::double precision[]) as pass (lane, start) on pass.lane = c.lane
),
taken as (
    select turn.lane, turn.gate, turn.rank, turn.fresh, turn.seq, turn.id, turn.turn, turn.weight
    from turn
    join ${schema}.ready r
        on r.lane = turn.lane and r.gate = turn.gate and r.rank = turn.rank and r.fresh = turn.fresh and r.seq = turn.seq
    join ${schema}.execution e on e.id = turn.id and e.situation = 'ready'
    order by turn.turn, turn.lane, turn.rank, turn.fresh, turn.seq
    limit :max::integer
    for update of r, e skip locked
),
unqueued as (
    delete from ${schema}.ready r
    using taken
    where r.lane = taken.lane and r.gate = taken.gate and r.rank = taken.rank and r.fresh = taken.fresh and r.seq = taken.seq
),
leased as (
    update ${schema}.execution e
    set situation = 'running',
        attempts = e.attempts + (case when e.next in ('first', 'retry', 'replay') then 1 else 0 end),
        epoch = e.epoch + 1,
        session = claimer.id,
        since = claimer.now,
        changed = claimer.now,
        progress_percent = case when e.next in ('continue', 'reclaim') then e.progress_percent end,
        progress_message = case when e.next in ('continue', 'reclaim') then e.progress_message end,
        progress_at = case when e.next in ('continue', 'reclaim') then e.progress_at end
    from taken, claimer
    where e.id = taken.id
    returning e.id, e.part, e.lane, e.gate, e.terms, e.next, e.attempts, e.epoch, e.retries, e.deadline, e.since, taken.turn, taken.weight
),
receipted as (
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, :number::bigint, array_agg(id order by turn, lane), array_agg(epoch order by turn, lane) from leased having count(*) > 0
    on conflict (session, number) do update
    set ids = receipt.ids || excluded.ids, epochs = receipt.epochs || excluded.epochs
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select leased.id, 'attempt'::${schema}.timer_kind, leased.since + terms.attempt_timeout
    from leased
    join ${schema}.terms on terms.id = leased.terms
    where terms.attempt_timeout is not null
    union all
    select leased.id, 'stall', leased.since + terms.stall_timeout
    from leased
    join ${schema}.terms on terms.id = leased.terms
    where terms.stall_timeout is not null
),
recorded as (
    insert into ${schema}.event (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select
        since, id, part, lane,
        (case when next = 'reclaim' then 'reclaim' else 'claim' end)::${schema}.transition,
        'running', attempts, epoch, :session::uuid
    from leased
)
select
    leased.id, leased.part, leased.lane, leased.gate, leased.terms, leased.next, leased.attempts, leased.epoch,
    leased.retries, leased.deadline, leased.since, leased.turn, leased.weight,
    s.priority as first_priority, s.start_due, s.deadline_due, s.content_type, s.input, s.tags,
    (select count(*) from candidate) as candidates
from leased
left join ${schema}.submission s using (id)
order by leased.turn, leased.lane

-- name: receipt_leases
-- What is still held of what one claim gave.
select
    e.id, e.part, e.lane, e.gate, e.terms, e.next, e.attempts, e.epoch, e.retries, e.deadline, e.since,
    s.priority as first_priority, s.start_due, s.deadline_due, s.content_type, s.input, s.tags
from ${schema}.receipt r
cross join unnest(r.ids, r.epochs) with ordinality as given (id, epoch, n)
join ${schema}.execution e on e.id = given.id and e.epoch = given.epoch and e.session = r.session
left join ${schema}.submission s on s.id = e.id
where r.session = :session::uuid and r.number = :number::bigint
order by given.n

-- name: lease
select
    e.id, e.part, e.lane, e.gate, e.terms, e.next, e.attempts, e.epoch, e.retries, e.deadline, e.since,
    s.priority as first_priority, s.start_due, s.deadline_due, s.content_type, s.input, s.tags
from ${schema}.execution e
left join ${schema}.submission s on s.id = e.id
where e.id = :id::uuid and e.part = :part::smallint and e.session = :session::uuid

-- name: claim_one
with clock as (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
unqueued as (
    delete from ${schema}.ready r
    using ${schema}.execution e
    where e.id = :id::uuid and r.lane = e.lane and r.gate = e.gate and r.rank = e.rank
        and r.fresh = (e.next = 'first') and r.seq = e.seq
),
leased as (
    update ${schema}.execution e
    set situation = 'running',
        attempts = e.attempts + (case when e.next in ('first', 'retry', 'replay') then 1 else 0 end),
        epoch = e.epoch + 1,
        session = :session::uuid,
        since = clock.now,
        changed = clock.now,
        progress_percent = case when e.next in ('continue', 'reclaim') then e.progress_percent end,
        progress_message = case when e.next in ('continue', 'reclaim') then e.progress_message end,
        progress_at = case when e.next in ('continue', 'reclaim') then e.progress_at end
    from clock
    where e.id = :id::uuid and e.situation = 'ready'
    returning e.*
),
receipted as (
    -- Numbers below zero are no worker's: claims by operators are kept under them.
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, -seq * 1000000 - epoch % 1000000, array[id], array[epoch] from leased
    on conflict (session, number) do update set ids = excluded.ids, epochs = excluded.epochs
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select leased.id, 'attempt'::${schema}.timer_kind, leased.since + terms.attempt_timeout
    from leased
    join ${schema}.terms on terms.id = leased.terms
    where terms.attempt_timeout is not null
    union all
    select leased.id, 'stall', leased.since + terms.stall_timeout
    from leased
    join ${schema}.terms on terms.id = leased.terms
    where terms.stall_timeout is not null
),
recorded as (
    insert into ${schema}.event (at, execution, part, lane, transition, situation, attempts, epoch, session, actor, reason)
    select
        since, id, part, lane,
        (case when next = 'reclaim' then 'reclaim' else 'claim' end)::${schema}.transition,
        'running', attempts, epoch, session, :actor, :reason
    from leased
)
select id, epoch from leased
