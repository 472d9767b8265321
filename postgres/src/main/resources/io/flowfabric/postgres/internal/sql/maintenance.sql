-- name: first_due
-- When the first timer of each kind is due that is due by now; null where none is. And whether something is left to be done in a flow.
with ${>clock}
select
    kind.kind, first.due, clock.now,
    exists (select from ${schema}.flow_ended) or exists (select from ${schema}.flow where unsettled) as unsettled
from clock
cross join unnest(${>timer_kinds}) as kind (kind)
left join lateral (
    select t.due from ${schema}.timer t
    where t.kind = kind.kind and t.due >= :from::bigint and t.due <= clock.now
    order by t.due
    limit 1
) as first on true

-- fragment: timer_kinds
-- Those that this program rings.
array['deadline', 'attempt', 'stall', 'wake', 'suspension', 'grant']::${schema}.timer_kind[]

-- name: due
-- What is due of one kind, the longest overdue first, behind where the page before ended. Nothing is locked yet: rows are locked
-- before their timers, here as everywhere.
select t.due, t.id
from ${schema}.timer t
where t.kind = :kind::${schema}.timer_kind
    and t.due <= ${>now} and (t.due, t.id) > (:after_due::bigint, :after_id::uuid)
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
-- What is due next, if that is no later than so long from now: of timers, and of meters and sessions.
with ${>clock}
select
    clock.now, timers.due as first_timer, others.due as first_other,
    -- the engine that ended a session did not come to return its work
    least(
        timers.due, others.due, (select 0 from ${schema}.session where dead and not buried limit 1),
        -- or what follows in a flow
        (select 0 from ${schema}.flow_ended limit 1), (select 0 from ${schema}.flow where unsettled limit 1)) - clock.now as "left"
from clock
cross join lateral (
    select min(first.due) as due
    from unnest(${>timer_kinds}) as kind (kind)
    cross join lateral (
        select t.due from ${schema}.timer t
        where t.kind = kind.kind and t.due >= :timers_from::bigint and t.due <= clock.now + :within::bigint
        order by t.due
        limit 1
    ) as first
) as timers
cross join lateral (
    select min(first.due) as due
    from (
        (select m.reopens_at as due from ${schema}.meter m
        where m.reopens_at >= :others_from::bigint and m.reopens_at <= clock.now + :within::bigint
        order by m.reopens_at limit 1)
        union all
        (select m.resets from ${schema}.meter m
        where m.resets >= :others_from::bigint and m.resets <= clock.now + :within::bigint
        order by m.resets limit 1)
        union all
        (select s.alive_until from ${schema}.session s
        where not s.buried and s.alive_until >= :others_from::bigint and s.alive_until <= clock.now + :within::bigint
        order by s.alive_until limit 1)
    ) as first
) as others

-- name: take_turn
-- One engine has the turn at a duty. Until it is time for the next one, asking writes nothing. A turn that was taken in the future was
-- taken before the clock was set back.
with ${>clock}
insert into ${schema}.turn as t (duty, taken)
select :duty::text, clock.now
from clock
where not exists (
    select from ${schema}.turn other
    where other.duty = :duty::text and abs(clock.now - other.taken) < :every::bigint)
on conflict (duty) do update set taken = excluded.taken
where abs(excluded.taken - t.taken) >= :every::bigint

-- name: forget
-- Forgets ended executions whose time is over, with everything that is theirs. The state rows are locked
-- first, here as everywhere, passing over those that another transaction has locked.
with ${>clock},
over as (
    (
        select r.ctid as place, r.id, r.ended, r.situation
        from ${schema}.inactive r
        where r.due <= (select now from clock)
        order by r.due
        limit :limit::integer
    )
    union all
    (
        select late.place, late.id, late.ended, late.situation
        from ${schema}.lane l
        left join ${schema}.namespace n on n.name = l.namespace
        cross join lateral (
            select r.ctid as place, r.id, r.ended, r.situation
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
    -- One that was replayed since has not ended, even if that was within a millisecond, or has ended later.
    select over.place, e.id, e.changed, ${>remnants_of_row}
    from over
    join ${schema}.execution e on e.id = over.id and e.changed = over.ended and e.situation = over.situation
    order by e.id
    for update of e skip locked
),
weighed as (
    select e.place, e.id, e.changed, w.fixed, w.loose
    from locked e
    cross join lateral (${>weight}) as w
),
ranked as (
    select place, id, sum(fixed + loose) over (order by id) - fixed - loose as ahead
    from weighed
    where loose = 0 or fixed + loose <= :room::bigint
),
chosen as (
    -- Those with much behind them are forgotten few at a time: one commit should not hold everybody up, and none be cut off.
    select place, id from ranked where ahead < :room::bigint
),
large as (
    -- One that is thinned before it can be forgotten.
    select id, changed from weighed where loose > 0 and fixed + loose > :room::bigint order by id limit 1
),
rest as (
    delete from ${schema}.inactive r where r.ctid = any(array(select place from chosen))
),
gone as (
    delete from ${schema}.execution e where e.id = any(array(select id from chosen))
    returning e.id, e.lane, e.situation, e.submitted, e.seq, e.key, e.tags, e.steps, e.waited, e.streamed,
        e.input is null or (e.situation = 'completed' and e.result is null) as stored
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, -count(*) from gone group by lane, situation
),
unkeyed as (
    delete from ${schema}.idempotency i
    using gone, ${schema}.lane l
    where gone.key is not null and l.id = gone.lane and i.namespace = l.namespace and i.key = gone.key and i.id = gone.id
),
untagged as (
    delete from ${schema}.tag t
    using (select lane, unnest(tags) as word, submitted, seq from gone where tags is not null) as told
    where t.lane = told.lane and t.word = told.word and t.submitted = told.submitted and t.seq = told.seq
),
kept as (
    -- What is told of them can still be asked for by their tags.
    insert into ${schema}.kept_tags (execution, up_to, tags, kept)
    select gone.id, (select ${schema}.last_event_id()), gone.tags, clock.now from gone cross join clock where gone.tags is not null
),
unstored as (
    delete from ${schema}.payload p using gone where gone.stored and p.id = gone.id
),
unspent as (
    delete from ${schema}.spending p using gone where p.execution = gone.id
),
unrecorded as (
    delete from ${schema}.step s using gone where gone.steps is not null and s.execution = gone.id
),
${>unwaited},
unsaid as (
    delete from ${schema}.frame f using gone where gone.streamed and f.execution = gone.id
),
unstreamed as (
    delete from ${schema}.stream m using gone where gone.streamed and m.execution = gone.id
)
select
    case when (select count(*) from chosen) < (select count(*) from locked) then :limit::integer else (select count(*) from over) end as seen,
    (select count(*) from gone) as forgotten, (select id from large) as large, (select changed from large) as changed

-- fragment: remnants_of_row
-- What the row of an execution says of how much it leaves in other tables.
e.steps, e.step_bytes, e.waited, e.streamed, e.input is null or (e.situation = 'completed' and e.result is null) as stored

-- fragment: weight
-- How much there is to delete with an execution, in rows; 2 KiB of what is stored apart from its row are a row of their own.
-- What can go before it is loose. How large signals and frames are that do not stay is not known: they are taken for 8 KiB.
select
    -- a step has an event as well
    2 * coalesce(e.steps, 0) + coalesce(e.step_bytes, 0) / 2048
        + case when e.stored then (
            select coalesce(sum(octet_length(p.bytes)), 0) / 2048 from ${schema}.payload p where p.id = e.id) else 0 end
        -- as many waitpoints as the record has room for
        + case when e.waited then (
            select coalesce(sum(octet_length(a.body)), 0) / 40 from ${schema}.awaiting a where a.id = e.id) else 0 end as fixed,
    case when e.waited then (
        select 5 * coalesce(max(s.number), 0) from ${schema}.signal s where s.execution = e.id) else 0 end
        + case when e.streamed then (
            select coalesce(sum(
                1 + m.frames + m.bytes / 2048 + 5 * least(m.passing, 256) + coalesce(octet_length(m.document), 0) / 2048), 0)
            from ${schema}.stream m where m.execution = e.id) else 0 end as loose

-- name: weigh
-- How much there is to delete with executions that are to be erased.
select e.id, e.changed, w.fixed::bigint, w.loose::bigint
from (
    select e.id, e.changed, ${>remnants_of_row} from ${schema}.execution e where e.id = any(:ids::uuid[])
) as e
cross join lateral (${>weight}) as w

-- fragment: thinned
-- An ended execution that is to be forgotten, unless it was replayed since.
locked as (
    select e.id from ${schema}.execution e
    where e.id = :id::uuid and e.changed = :changed::bigint
        and e.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped')
    for update skip locked
)

-- name: thin_frames
-- Deletes the first frames of an ended execution that has too many to be forgotten with them, and streams that have none left.
with ${>thinned},
sized as (
    select
        f.row_place as place, f.attempt, f.passing is null as stays,
        octet_length(f.content) + octet_length(f.type) + coalesce(octet_length(f.content_type), 0) as bytes,
        row_number() over (partition by f.attempt order by f.place) as nth, f.place as position
    from (
        select f.ctid as row_place, f.* from locked join ${schema}.frame f on f.execution = locked.id
        order by f.attempt, f.place
        limit :room::integer
    ) as f
),
ranked as (
    select sized.*, sum(1 + sized.bytes / 2048 + case when nth = 1 then coalesce(octet_length(m.document), 0) / 2048 else 0 end)
        over (order by sized.attempt, position) as up_to
    from sized
    left join ${schema}.stream m on m.execution = :id::uuid and m.attempt = sized.attempt
),
chosen as (
    select * from ranked where up_to <= :room::bigint or (nth = 1 and attempt = (select min(attempt) from sized))
),
finished as (
    -- The last attempt has frames left, unless all that there are were chosen.
    select
        (select count(*) from chosen) = (select count(*) from sized)
            and (select count(*) from sized) < :room::integer as everything,
        (select max(attempt) from chosen) as last
),
unsaid as (
    delete from ${schema}.frame f where f.ctid = any(array(select place from chosen))
),
unstreamed as (
    delete from ${schema}.stream m using finished, locked
    where m.execution = locked.id and (finished.everything or m.attempt < finished.last)
),
shortened as (
    update ${schema}.stream m set frames = greatest(0, m.frames - portion.frames), bytes = greatest(0, m.bytes - portion.bytes)
    from finished, locked, (
        select attempt, count(*) filter (where stays) as frames, coalesce(sum(bytes) filter (where stays), 0) as bytes
        from chosen group by attempt
    ) as portion
    where not finished.everything and m.execution = locked.id and m.attempt = finished.last and portion.attempt = m.attempt
)
select count(*) as gone from chosen

-- name: thin_signals
-- Deletes the last signals of an ended execution that has too many to be forgotten with them: the number of the last one says how
-- many there are.
with ${>thinned},
ranked as (
    select s.row_place as place, sum(1 + octet_length(s.content) / 2048) over (order by s.number desc) as up_to,
        row_number() over (order by s.number desc) as nth
    from (
        select s.ctid as row_place, s.* from locked join ${schema}.signal s on s.execution = locked.id
        order by s.number desc
        limit :room::integer
    ) as s
),
gone as (
    delete from ${schema}.signal s
    where s.ctid = any(array(select place from ranked where up_to <= :room::bigint or nth = 1))
    returning s.number
)
select count(*) as gone from gone

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

-- name: patience_of_sweeps
-- A transaction that holds what a sweep needs is done in a moment, or its process is frozen.
set local lock_timeout = '1s'

-- name: little_patience
-- A sweep has waited for the holder before.
set local lock_timeout = '100ms'

-- name: lock_event_log
-- Before the events, in the order in which an era begins.
select dropped from ${schema}.event_log for update

-- name: empty_day
select ${schema}.empty_day(:day::integer, :before::bigint) as last

-- name: forget_events
select ${schema}.forget_events(:day::integer, :before::bigint, :limit::integer) as last

-- name: forget_tags
-- Of executions all of whose events are dropped: nothing from before that moment is left.
delete from ${schema}.kept_tags where kept < :before::bigint

-- name: unknown
select wanted.id from unnest(:ids::uuid[]) as wanted (id)
where not exists (select from ${schema}.execution e where e.id = wanted.id)
