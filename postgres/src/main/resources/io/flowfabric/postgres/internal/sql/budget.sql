-- name: budget
select b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, above.name as parent
from ${schema}.budget b
left join ${schema}.budget above on above.id = b.parent
where b.namespace = :namespace and b.name = :name and not b.deleted

-- name: budgets
select b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, above.name as parent
from ${schema}.budget b
left join ${schema}.budget above on above.id = b.parent
where b.id = any(:ids::integer[]) and not b.deleted

-- name: list_budgets
select b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, above.name as parent
from ${schema}.budget b
left join ${schema}.budget above on above.id = b.parent
where b.namespace = :namespace and not b.deleted and b.name collate "C" > :after collate "C"
order by b.name collate "C"
limit :max::integer

-- name: lock_budget
-- One change of a budget at a time; a first one makes the row.
insert into ${schema}.budget as b (namespace, name, enforcement, deleted) values (:namespace, :name, 'stop', true)
on conflict (namespace, name) do update set name = b.name
returning b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, b.deleted,
    (select above.name from ${schema}.budget above where above.id = b.parent) as parent

-- name: lock_known_budget
-- The same, of one that is there.
select b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, above.name as parent
from ${schema}.budget b
left join ${schema}.budget above on above.id = b.parent
where b.namespace = :namespace and b.name = :name and not b.deleted
for no key update of b

-- name: change_budget
update ${schema}.budget
set enforcement = :enforcement::${schema}.enforcement, period = :period::bigint, settings = :settings::jsonb, deleted = :deleted::boolean,
    parent = (select above.id from ${schema}.budget above where above.namespace = :namespace and above.name = :parent)
where id = :id::integer

-- name: dimensions
-- What a budget counts, and how it stands.
select m.id, m.budget, m.key as dimension, m.soft, m.hard, m.used, m.held, m.resets
from ${schema}.meter m
where m.budget = any(:budgets::integer[])
order by m.key

-- name: lock_dimensions
select id from ${schema}.meter where budget = :budget::integer order by id for update

-- name: set_dimensions
insert into ${schema}.meter as m (budget, key, soft, hard, cap, resets)
select :budget::integer, d.key, d.soft, d.hard, d.cap, :resets::bigint
from unnest(:keys::text[], :softs::bigint[], :hards::bigint[], :caps::bigint[]) as d (key, soft, hard, cap)
order by d.key
on conflict (budget, key) do update
set soft = excluded.soft, hard = excluded.hard, cap = excluded.cap, resets = excluded.resets
returning m.id

-- name: lift_dimensions
update ${schema}.meter set cap = null, soft = null, resets = null where budget = :budget::integer returning id

-- name: reset_dimensions
update ${schema}.meter set used = 0 where budget = :budget::integer returning id

-- name: reset_due
-- Where a period is over everything begins at zero; what is set aside stays so.
with clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
due as (
    select m.id from ${schema}.meter m where m.resets <= (select now from clock) order by m.id for update skip locked
)
update ${schema}.meter m
set used = 0, resets = m.resets + ((clock.now - m.resets) / b.period + 1) * b.period
from due, clock, ${schema}.budget b
where m.id = due.id and b.id = m.budget
returning m.id

-- name: breached
-- Where a hard limit is reached of a budget that cancels, and something runs all the same.
select m.id, m.budget
from ${schema}.budget b
join ${schema}.meter m on m.budget = b.id
where b.enforcement = 'cancel' and not b.deleted and m.used >= m.hard and m.running > 0

-- name: running_on
-- What runs against these meters, found as it is when they are counted anew.
select distinct e.id
from ${schema}.session h
join ${schema}.receipt r on r.session = h.id
cross join unnest(r.ids, r.epochs) as given (id, epoch)
cross join lateral (
    select x.id, x.slots from ${schema}.execution x
    where x.id = given.id and x.epoch = given.epoch and x.session = h.id and x.slots is not null offset 0
) as e
where not h.buried and e.slots && :meters::integer[]

-- name: lock_breached
-- Whether it is still so, until the transaction is over. In the order of their numbers, as everyone who counts.
select m.id, m.budget
from ${schema}.meter m
join ${schema}.budget b on b.id = m.budget
where m.id = any(:ids::integer[]) and b.enforcement = 'cancel' and not b.deleted and m.used >= m.hard
order by m.id
for update of m

-- name: chain
-- The meters of a budget and of those above it, each with its dimension; the budget's own first.
with recursive above as (
    select b.id, b.name, b.parent, b.deleted, 0 as height
    from ${schema}.budget b where b.namespace = :namespace and b.name = :name
    union all
    select b.id, b.name, b.parent, b.deleted, above.height + 1
    from above join ${schema}.budget b on b.id = above.parent
)
select m.id, above.id as budget, above.name, above.deleted, m.key as dimension, above.height
from above join ${schema}.meter m on m.budget = above.id
order by above.height, m.key

-- name: spend
-- A report, in one statement, because many wait for each other at a budget: the holder's row is locked and the report kept; then
-- the meters are locked in the order of their numbers, and what was set aside for the work is settled first.
with recursive clock as materialized (
    select coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) as now
),
holder as (
    select e.id, e.slots, e.holds, l.namespace
    from ${schema}.execution e
    join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > (select now from clock)
    join ${schema}.lane l on l.id = e.lane
    where e.id = :id::uuid and e.part = :part::smallint and e.situation = 'running'
        and e.attempts - 1 = :attempt::integer and e.epoch = :epoch::bigint
    for update of e
),
above as (
    select b.id, b.name, b.parent, b.deleted, b.enforcement, 0 as height
    from ${schema}.budget b
    where b.namespace = (select namespace from holder) and b.name = :name and not b.deleted
    union all
    select b.id, b.name, b.parent, b.deleted, b.enforcement, above.height + 1
    from above join ${schema}.budget b on b.id = above.parent
),
own as (
    -- the budget that was named, if it counts this
    select m.budget as id
    from ${schema}.meter m
    where m.budget = (select id from above where height = 0) and m.key = :dimension
),
added as (
    insert into ${schema}.spending (budget, key, execution, dimension, amount, at)
    select own.id, :key, (select id from holder), :dimension, :amount::bigint, (select now from clock)
    from own
    on conflict do nothing
    returning id
),
drawn as (
    select m.id
    from ${schema}.meter m
    where m.budget in (select id from above) and m.key = :dimension and exists (select from added)
    order by m.id
    for update
),
settled as materialized (
    select drawn.id, least(:amount::bigint, coalesce(holder.holds[array_position(holder.slots, drawn.id)], 0)) as amount
    from drawn cross join holder
),
used as (
    update ${schema}.meter m
    set used = m.used + :amount::bigint, held = m.held - settled.amount
    from settled
    where m.id = settled.id
    returning m.id, m.budget, m.used, m.soft, m.hard
),
held_less as (
    update ${schema}.execution e
    set holds = (
        select array_agg(given.hold - coalesce((select amount from settled where settled.id = given.slot), 0) order by given.n)
        from unnest(holder.slots, holder.holds) with ordinality as given (slot, hold, n))
    from holder
    where e.id = holder.id and holder.slots is not null and exists (select from settled where amount > 0)
),
told as (
    insert into ${schema}.event_${day} (kind, at, namespace, payload)
    select
        'budget_reached', (select now from clock), (select namespace from holder),
        jsonb_build_object('budget', above.name, 'dimension', :dimension::text, 'hard', bound.hard, 'used', used.used)
    from used
    join above on above.id = used.budget and not above.deleted
    cross join lateral (values (false, used.soft), (true, used.hard)) as bound (hard, at)
    where used.used - :amount::bigint < bound.at and used.used >= bound.at
    order by above.height, bound.hard
)
select
    (select namespace from holder) as namespace,
    exists (select from above) as defined,
    (select id from own) as budget,
    exists (select from added) as added,
    exists (
        select from used join above on above.id = used.budget
        where above.enforcement = 'cancel' and not above.deleted and used.used >= used.hard) as cancels

-- name: spent_before
select execution, dimension, amount from ${schema}.spending where budget = :budget::integer and key = :key

-- name: use_less
-- The caller has locked them.
update ${schema}.meter set used = greatest(0, used - :amount::bigint) where id = any(:ids::integer[])

-- name: tell_budget
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'budget_changed', coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint), :namespace, :actor, :reason, :payload::jsonb

-- name: ledger
select b.name as budget, p.dimension, p.amount, p.key, p.at, p.refunded
from ${schema}.spending p
join ${schema}.budget b on b.id = p.budget
where p.execution = :execution::uuid
order by p.id

-- name: refund
update ${schema}.spending p set refunded = true
from ${schema}.budget b
where b.id = p.budget and b.namespace = :namespace and b.name = :name
    and p.execution = :execution::uuid and p.key = :key and not p.refunded
returning p.dimension, p.amount

-- name: lock_next_dimensions
-- As meters of quotas are: once they are locked, nobody has set anything aside or given it back who is not done with it.
select m.id, b.name, m.key, m.held, m.running
from ${schema}.meter m
join ${schema}.budget b on b.id = m.budget
where b.namespace = :namespace and m.id > :after::integer
order by m.id
limit :limit::integer
for update of m

-- name: count_holds
-- What is set aside in meters that the caller has locked, by what runs: a statement of its own, so that it sees what was
-- committed before.
select given.slot as id, count(*)::integer as running, sum(given.hold)::bigint as held
from ${schema}.session h
join ${schema}.receipt r on r.session = h.id
cross join unnest(r.ids, r.epochs) as lease (id, epoch)
cross join lateral (
    select x.slots, x.holds from ${schema}.execution x
    where x.id = lease.id and x.epoch = lease.epoch and x.session = h.id and x.slots is not null offset 0
) as e
cross join unnest(e.slots, e.holds) as given (slot, hold)
where not h.buried and given.slot = any(:ids::integer[])
group by given.slot

-- name: correct_dimensions
update ${schema}.meter m
set held = truth.held, running = truth.running
from unnest(:ids::integer[], :helds::bigint[], :runnings::integer[]) as truth (id, held, running)
where m.id = truth.id
