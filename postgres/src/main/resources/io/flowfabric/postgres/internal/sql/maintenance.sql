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
    select over.place, e.id, e.streamed
    from over
    join ${schema}.execution e on e.id = over.id and e.changed = over.ended and e.situation = over.situation
    order by e.id
    for update of e skip locked
),
said as (
    select id, sum(frames) over (order by id) - frames as ahead
    from (
        select l.id, sum(m.frames) as frames
        from locked l join ${schema}.stream m on m.execution = l.id where l.streamed group by l.id
    ) as stream
),
chosen as (
    -- Those with long streams are forgotten few at a time: one commit should not hold everybody up.
    select place, id from locked where streamed is null or id in (select id from said where ahead < 100000)
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
    where gone.key is not null and l.id = gone.lane and i.namespace = l.namespace and i.key = gone.key
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
    case when (select count(*) from chosen) < (select count(*) from locked) then :limit::integer else (select count(*) from over) end as seen, (select count(*) from gone) as forgotten

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
