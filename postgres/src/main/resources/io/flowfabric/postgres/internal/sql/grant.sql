-- name: receipt_grants
-- What is still granted of what one claim gave.
select e.id, e.part, e.lane, e.epoch, e.until
from ${schema}.receipt r
cross join unnest(r.ids, r.epochs) with ordinality as given (id, epoch, n)
join ${schema}.execution e on e.id = given.id and e.epoch = given.epoch and e.session = r.session and e.situation = 'granted'
where r.session = :session::uuid and r.number = :number::bigint
    and e.until > ${>now}
order by given.n

-- name: granted
-- Which of these grants there are.
select e.id, e.lane
from unnest(:ids::uuid[], :parts::smallint[], :epochs::bigint[]) as shown (id, part, epoch)
join ${schema}.execution e on e.id = shown.id and e.part = shown.part and e.epoch = shown.epoch
cross join (
    select ${>now} as now) as clock
where e.situation = 'granted' and e.session = :session::uuid and e.until > clock.now
    and (e.deadline is null or e.deadline > clock.now)

-- name: lane_gives
select state in ('active', 'draining') as gives from ${schema}.lane where id = :lane::integer

-- name: redeem
-- Turns grants into leases. Everything is in the write: the grant, whose it is, its time, and that its key is believed.
with ${>clock},
claimer as (
    select s.id
    from ${schema}.session s
    cross join clock
    where s.id = :session::uuid and not s.dead and s.alive_until > clock.now and :number::bigint > s.acknowledged
        and (select r.number from ${schema}.receipt r where r.session = s.id and r.number = :number::bigint) is null
    for key share of s
),
held as (
    -- locked in the order of ids, as everywhere
    select e.id
    from claimer
    cross join clock
    cross join unnest(:ids::uuid[], :parts::smallint[], :epochs::bigint[], :keys::text[]) as shown (id, part, epoch, key)
    join ${schema}.signing_key k on k.id = shown.key and (k.retires is null or k.retires > clock.now)
    join ${schema}.execution e on e.id = shown.id and e.part = shown.part and e.epoch = shown.epoch
    where e.situation = 'granted' and e.session = claimer.id and e.until > clock.now
        and (e.deadline is null or e.deadline > clock.now)
    order by e.id
    for update of e
),
leased as (
    update ${schema}.execution e
    set ${>running_now},
        until = null
    from clock
    where e.id = any(array(select id from held))
    returning e.*
),
made_active as (
    delete from ${schema}.inactive r
    using leased
    where r.lane = leased.lane and r.situation = 'granted' and r.submitted = leased.submitted and r.seq = leased.seq
),
receipted as (
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, :number::bigint, array_agg(id order by id), array_agg(epoch order by id) from leased having count(*) > 0
),
untimed as (
    delete from ${schema}.timer t using leased where t.id = leased.id and t.kind = 'grant'
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    ${>lease_timers}
),
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select
        since, id, part, lane,
        (case when next = 'reclaim' then 'reclaim' else 'redeem' end)::${schema}.transition,
        'running', attempts, epoch, :session::uuid
    from leased
)
select
    ${>lease_columns},
    exists (select from claimer) as may_claim
from (select) as once
left join leased e on true

-- name: keys
-- The newest first. Which of them are believed is decided here, by the clock that decides everything.
select
    k.id, k.secret, k.wrapping, k.made, k.retires, k.actor, k.reason,
    k.retires is null or k.retires > clock.now as believed, clock.now
from ${schema}.signing_key k
cross join (
    select ${>now} as now) as clock
order by k.number desc

-- name: first_key
insert into ${schema}.signing_key (id, secret, wrapping, made, actor, reason)
select :id, :secret::bytea, :wrapping, ${>now}, :actor, :reason
where not exists (select from ${schema}.signing_key)
on conflict do nothing

-- name: rotate_key
-- Nothing, when another rotation was faster, or when this one has been done.
with ${>clock},
forgotten as (
    delete from ${schema}.signing_key k
    using clock
    where k.retires <= clock.now and not exists (select from ${schema}.signing_key x where x.id = :id)
),
retired as (
    update ${schema}.signing_key k
    set retires = clock.now + :grace::bigint
    from clock
    where k.retires is null and not exists (select from ${schema}.signing_key x where x.id = :id)
    returning k.id
),
made as (
    insert into ${schema}.signing_key (id, secret, wrapping, made, actor, reason)
    select :id, :secret::bytea, :wrapping, clock.now, :actor, :reason
    from clock
    where not exists (select from ${schema}.signing_key x where x.id = :id)
        -- after the one before it has been retired
        and (select count(*) from retired) >= 0
    on conflict do nothing
    returning id, made as at
)
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'key_rotated', at, :namespace, :actor, :reason, :payload::jsonb from made
