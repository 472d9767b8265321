-- name: open_session
insert into ${schema}.session (id, namespace, worker, instance, lanes, kinds, offers, ttl, opened, alive_until)
select :id::uuid, :namespace, :worker, :instance, :lanes::text[], :kinds::text[], :offers::text[], :ttl::bigint, clock.now, clock.now + :ttl::bigint
from (select ${>now} as now) clock
on conflict do nothing
returning alive_until

-- name: hold_instance
-- Until the transaction is over no other one opens a session of this instance.
select pg_advisory_xact_lock(hashtextextended(:namespace || '/' || :instance, hashtext('${schema}')))

-- name: same_instance
-- Under which other name the instance lives already.
select id, worker
from ${schema}.session
where namespace = :namespace and not dead and instance = :instance and worker <> :worker and id <> :id::uuid
    and alive_until > ${>now}
order by id
limit 1

-- name: alive_in
-- The sessions that could take work in these lanes.
select id, namespace, worker, instance, lanes, kinds, offers, ttl
from ${schema}.session
where namespace = any(:namespaces::text[]) and not dead and lanes && :lanes::text[]
    and alive_until > ${>now}

-- name: session
select id, namespace, worker, instance, lanes, kinds, offers, ttl, acknowledged, alive_until,
    not dead and alive_until > ${>now} as alive
from ${schema}.session
where id = :id::uuid

-- name: hold_session
-- Until the transaction is over the session cannot be buried, as with any claim: if it dies meanwhile, what it gets is returned.
select id
from ${schema}.session
where id = :id::uuid and not dead
    and alive_until > ${>now}
for key share

-- name: renew
-- Heartbeats of sessions, each named once. The lock lets claims of the session go on.
with ${>clock},
beat as materialized (
    select s.id, asked.acknowledged
    from unnest(:ids::uuid[], :acknowledgeds::bigint[]) as asked (id, acknowledged)
    join ${schema}.session s on s.id = asked.id
    where not s.dead and s.alive_until > (select now from clock)
    order by s.id
    for no key update of s
),
renewed as (
    update ${schema}.session s
    set alive_until = clock.now + s.ttl, acknowledged = greatest(s.acknowledged, beat.acknowledged)
    from clock
    cross join beat
    where s.id = beat.id
    returning s.id, s.alive_until, s.acknowledged, clock.now
),
recorded as (
    insert into ${schema}.event_${day} (kind, at, session, until) select 'heartbeat', now, id, alive_until from renewed
),
-- A receipt is kept until nothing of it runs any more, whatever the worker says that it holds.
closed as (
    delete from ${schema}.receipt r
    using renewed
    where r.session = renewed.id
        and r.number <= renewed.acknowledged
        and not exists (
            select from unnest(r.ids) as held (id)
            join ${schema}.execution e on e.id = held.id
            where e.session = r.session)
),
lost as materialized (
    select held.session, array_agg(held.n::integer) as places
    from unnest(
        :held_sessions::uuid[], :held_ids::uuid[], :held_parts::smallint[], :held_attempts::integer[], :held_epochs::bigint[]
    ) with ordinality as held (session, id, part, attempt, epoch, n)
    where not exists (
        select from ${schema}.execution e
        where e.id = held.id and e.part = held.part and e.session = held.session
            and e.attempts - 1 = held.attempt and e.epoch = held.epoch and e.situation = 'running')
    group by held.session
)
select
    renewed.id, renewed.alive_until, coalesce(lost.places, '{}') as lost,
    (select count(*)
    from ${schema}.receipt r
    cross join unnest(r.ids, r.epochs) as given (id, epoch)
    join ${schema}.execution e on e.id = given.id and e.epoch = given.epoch
    -- those of numbers below zero were claimed by operators
    where r.session = renewed.id and r.number > 0 and e.session = renewed.id and e.situation = 'running') as leases
from renewed
left join lost on lost.session = renewed.id

-- name: die
-- The death of all whose time has run out. It waits for no lock: not for a claim, which holds a key-share lock on its session and
-- may be that of a process that is frozen. What such a claim commits after the death is found before the session is buried.
with ${>clock},
gone as (
    update ${schema}.session set dead = true, died = (select now from clock)
    where id in (
        select id from ${schema}.session
        where not dead and alive_until <= (select now from clock)
        order by id
        for no key update skip locked)
    returning id
)
select exists (select from gone) or exists (select from ${schema}.session where dead and not buried) as unburied

-- name: end_session
with ${>clock},
gone as (
    update ${schema}.session set dead = true, died = (select now from clock)
    where id in (select id from ${schema}.session where id = :id::uuid and not dead for no key update)
    returning id
)
select exists (select from gone) or exists (select from ${schema}.session where id = :id::uuid and dead and not buried) as unburied

-- name: patience_with_claims
set local lock_timeout = '5s'

-- name: await_claims_of
-- A claim holds a key-share lock on its session until its commit. One that began before the death may still take its lock behind this
-- one; none does once the session is buried.
select id from ${schema}.session where id = :id::uuid for update

-- name: mark_dead
-- The death of a session by an operator, who is recorded. A session whose time has run out died of that.
with ${>clock},
marked as (
    update ${schema}.session s set dead = true, died = clock.now
    from clock
    where s.id in (
        select id from ${schema}.session
        where id = :id::uuid and not dead and alive_until > (select now from clock)
        for no key update)
    returning s.id, clock.now
)
insert into ${schema}.event_${day} (kind, at, session, actor, reason)
select 'marked_dead', now, id, :actor, :reason from marked

-- name: held_by_the_dead
-- What was lost first comes first. The next page begins behind the last row of the one before, so that what cannot be returned
-- now does not keep the rest waiting.
select s.died, e.id
from ${schema}.session s
join ${schema}.receipt r on r.session = s.id
cross join unnest(r.ids) as held (id)
join ${schema}.execution e on e.id = held.id
where s.dead and not s.buried and (:id::uuid is null or s.id = :id::uuid) and e.session = s.id
    and (s.died, e.id) > (:after_died::bigint, :after_id::uuid)
order by s.died, e.id
limit :limit::integer

-- name: lock_unburied
-- A session that is locked is being buried by another engine, or a claim of it is still under way: it is passed over.
select id from ${schema}.session
where dead and not buried and (:id::uuid is null or id = :id::uuid)
order by id
for update skip locked

-- name: bury
-- Sessions that this transaction has locked before: only so this statement sees all that their last claims were given. It also makes
-- the burial a change as if of the key: a key-share lock is granted on the version that a claim's snapshot shows, dead or not since,
-- but behind such a change the claim looks again, and finds the session dead.
with done as (
    update ${schema}.session s set buried = true
    where s.id = any(:ids::uuid[])
        and not exists (
            select from ${schema}.receipt r
            cross join unnest(r.ids) as held (id)
            join ${schema}.execution e on e.id = held.id
            where r.session = s.id and e.session = s.id
            -- looked for session by session: as a join, the receipts of all sessions may be gone through
            offset 0)
    returning s.id
)
delete from ${schema}.receipt r using done where r.session = done.id

-- name: forget_sessions
-- A session that is locked is being forgotten by another engine, and is passed over.
delete from ${schema}.session
where id in (
    select id from ${schema}.session where buried and died < :before::bigint order by id for update skip locked)

-- name: list_sessions
-- The living and the dead apart, so that none of the many dead is looked at when only the living are wanted.
select id
from (
    (select id from ${schema}.session
    where namespace = :namespace and not dead and id >= :from::uuid
        and (:dead_too::boolean or alive_until >
            ${>now})
    order by id
    limit :max::integer)
    union all
    (select id from ${schema}.session
    where namespace = :namespace and dead and :dead_too::boolean and id >= :from::uuid
    order by id
    limit :max::integer)
) listed
order by id
limit :max::integer

-- name: workers
-- What a session holds is found from its receipts. An execution that it was given twice counts for the last time.
select s.id, s.namespace, s.worker, s.instance, s.lanes, s.kinds, s.offers, s.ttl, s.opened,
    s.alive_until - s.ttl as last_heard, least(s.alive_until, s.died) as alive_until,
    not s.dead and s.alive_until > ${>now} as alive,
    (select count(*)
    from ${schema}.receipt r
    cross join unnest(r.ids, r.epochs) as given (id, epoch)
    join ${schema}.execution e on e.id = given.id and e.epoch = given.epoch
    where r.session = s.id and e.session = s.id and e.situation = 'running') as running
from ${schema}.session s
where s.id = any(:ids::uuid[])
order by s.id

-- name: dead_sessions
select id from ${schema}.session where id = any(:ids::uuid[]) and dead
