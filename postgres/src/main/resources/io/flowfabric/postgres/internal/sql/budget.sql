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
-- Reports, many in one statement, because all of them wait for each other at a budget. The rows of the holders are locked in the
-- order of ids, then the meters in the order of their numbers, then the reports are kept; what was set aside for the work is
-- settled first. What comes behind a report that breaches a budget that cancels is left out: it may be cancelled by then.
with recursive ${>clock},
holder as (
    select fence.n as fence, e.id, e.slots, e.holds, l.namespace
    from unnest(:ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[])
        with ordinality as fence (id, part, attempt, epoch, n)
    join ${schema}.execution e on e.id = fence.id
    join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > (select now from clock)
    join ${schema}.lane l on l.id = e.lane
    where e.part = fence.part and e.situation = 'running' and e.attempts - 1 = fence.attempt and e.epoch = fence.epoch
    order by e.id
    for update of e
),
report as materialized (
    select r.n, holder.id as execution, holder.namespace, r.name, r.dimension, r.amount, r.key
    from unnest(:fences::integer[], :names::text[], :dimensions::text[], :amounts::bigint[], :keys::text[])
        with ordinality as r (fence, name, dimension, amount, key, n)
    left join holder on holder.fence = r.fence
),
above as (
    -- the budgets that were named, each with those above it
    select b.id as own, b.id, b.namespace, b.name, b.parent, b.deleted, b.enforcement, 0 as height
    from ${schema}.budget b
    where not b.deleted and (b.namespace, b.name) in (select r.namespace, r.name from report r)
    union all
    select above.own, b.id, b.namespace, b.name, b.parent, b.deleted, b.enforcement, above.height + 1
    from above join ${schema}.budget b on b.id = above.parent
),
known as materialized (
    -- the reports to a budget that counts such a thing
    select report.n, report.execution, report.dimension, report.amount, report.key, above.id as budget
    from report
    join above on above.height = 0 and above.namespace = report.namespace and above.name = report.name
    join ${schema}.meter m on m.budget = above.id and m.key = report.dimension
),
fresh as materialized (
    -- of a key that is not kept yet, the first
    select distinct on (known.budget, known.key) known.*
    from known
    where not exists (select from ${schema}.spending p where p.budget = known.budget and p.key = known.key)
    order by known.budget, known.key, known.n
),
due as materialized (
    -- what each of them adds to which meters
    select
        fresh.n, fresh.execution, fresh.amount, fresh.dimension, m.id as meter,
        above.id as budget, above.namespace, above.name, above.height,
        not above.deleted as told, above.enforcement = 'cancel' and not above.deleted as cancelling
    from fresh
    join above on above.own = fresh.budget
    join ${schema}.meter m on m.budget = above.id and m.key = fresh.dimension
),
drawn as (
    select m.id, m.used, m.soft, m.hard
    from ${schema}.meter m
    where m.id = any((select array_agg(due.meter) from due)::integer[])
    order by m.id
    for update
),
final as materialized (
    -- the last report of this statement
    select coalesce(min(reaching.n), cardinality(:keys::text[])) as n
    from (
        select
            due.n, due.amount, drawn.hard, drawn.used + sum(due.amount) over (partition by due.meter order by due.n) as used
        from due join drawn on drawn.id = due.meter
        where due.cancelling
    ) as reaching
    where reaching.used - reaching.amount < reaching.hard and reaching.used >= reaching.hard
),
added as (
    insert into ${schema}.spending (budget, key, execution, dimension, amount, at)
    select fresh.budget, fresh.key, fresh.execution, fresh.dimension, fresh.amount, (select now from clock)
    from fresh
    where fresh.n <= (select n from final)
    order by fresh.n
    on conflict do nothing
    returning budget, key
),
counted as materialized (
    select
        due.*, drawn.soft, drawn.hard,
        (drawn.used + sum(due.amount) over (partition by due.meter order by due.n))::bigint as used,
        sum(due.amount) over its as spent,
        coalesce(holder.holds[array_position(holder.slots, due.meter)], 0) as hold
    from added
    join fresh on fresh.budget = added.budget and fresh.key = added.key
    join due on due.n = fresh.n
    join drawn on drawn.id = due.meter
    join holder on holder.id = due.execution
    window its as (partition by due.meter, due.execution order by due.n)
),
settled as materialized (
    select counted.n, counted.execution, counted.meter, counted.budget, counted.amount,
        (least(counted.spent, counted.hold) - least(counted.spent - counted.amount, counted.hold))::bigint as settled,
        counted.cancelling and counted.used >= counted.hard as cancels
    from counted
),
charged as (
    update ${schema}.meter m
    set used = m.used + total.amount, held = m.held - total.settled
    from (
        select meter, sum(amount)::bigint as amount, sum(settled)::bigint as settled from settled group by meter
    ) as total
    where m.id = total.meter
),
held_less as (
    update ${schema}.execution e
    set holds = (
        select array_agg(
            given.hold - coalesce((
                select sum(s.settled)::bigint from settled s where s.execution = holder.id and s.meter = given.slot), 0)
            order by given.n)
        from unnest(holder.slots, holder.holds) with ordinality as given (slot, hold, n))
    from holder
    where e.id = holder.id and exists (select from settled s where s.execution = holder.id and s.settled > 0)
),
told as (
    insert into ${schema}.event_${day} (kind, at, namespace, payload)
    select
        'budget_reached', (select now from clock), counted.namespace,
        jsonb_build_object('budget', counted.name, 'dimension', counted.dimension, 'hard', bound.hard, 'used', counted.used)
    from counted
    cross join lateral (values (false, counted.soft), (true, counted.hard)) as bound (hard, at)
    where counted.told and counted.used - counted.amount < bound.at and counted.used >= bound.at
    order by counted.n, counted.height, bound.hard
)
select
    report.execution is not null as held, above.id is not null as defined, known.budget, draws.n is not null as added,
    coalesce(draws.budgets, '{}') as budgets, coalesce(draws.settled, '{}') as settled, coalesce(draws.cancels, false) as cancels
from report
left join above on above.height = 0 and above.namespace = report.namespace and above.name = report.name
left join known on known.n = report.n
left join (
    select n, array_agg(budget) as budgets, array_agg(settled) as settled, bool_or(cancels) as cancels from settled group by n
) as draws on draws.n = report.n
where report.n <= (select n from final)
order by report.n

-- name: spent_before
select p.budget, p.key, p.execution, p.dimension, p.amount
from unnest(:budgets::integer[], :keys::text[]) as asked (budget, key)
join ${schema}.spending p on p.budget = asked.budget and p.key = asked.key

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
