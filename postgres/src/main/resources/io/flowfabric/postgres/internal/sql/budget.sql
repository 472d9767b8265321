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
-- One change of a budget at a time; a first one makes the row. No column of a key is set: that would lock the key, too, and
-- a report that has locked its meters would wait for it.
insert into ${schema}.budget as b (namespace, name, enforcement, deleted) values (:namespace, :name, 'stop', true)
on conflict (namespace, name) do update set deleted = b.deleted
returning b.id, b.namespace, b.name, b.enforcement, b.period, b.settings::text as settings, b.deleted,
    (select above.name from ${schema}.budget above where above.id = b.parent) as parent

-- name: lock_known_budget
-- Locks a budget that is there.
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
select m.id, m.budget, m.key as dimension, m.soft, m.hard, m.used, m.reserved, m.resets
from ${schema}.meter m
where m.budget = any(:budgets::integer[])
order by m.key

-- name: lock_dimensions
select id from ${schema}.meter where budget = :budget::integer order by id for update

-- name: set_dimensions
insert into ${schema}.meter as m (budget, key, soft, hard, enforced_limit, resets)
select :budget::integer, d.key, d.soft, d.hard, d.enforced_limit, :resets::bigint
from unnest(:keys::text[], :softs::bigint[], :hards::bigint[], :caps::bigint[]) as d (key, soft, hard, enforced_limit)
order by d.key
on conflict (budget, key) do update
set soft = excluded.soft, hard = excluded.hard, enforced_limit = excluded.enforced_limit, resets = excluded.resets
returning m.id

-- name: lift_dimensions
update ${schema}.meter set enforced_limit = null, soft = null, resets = null where budget = :budget::integer returning id

-- name: reset_dimensions
update ${schema}.meter m set used = 0, counts_after = ${>last_report_before} where budget = :budget::integer returning id

-- fragment: last_report_before
-- The last report that can have been counted in a meter m. `m` is named so that this is evaluated for each row, after its lock:
-- evaluated once before, it could miss a report that was counted meanwhile.
(select case when s.is_called then s.last_value else 0 end from ${schema}.spending_id s where m.id is not null)

-- name: reset_due
-- Where a period is over everything begins at zero; what is set aside stays so.
with ${>clock},
due as (
    select m.id from ${schema}.meter m
    where m.id = any(array(select r.id from ${schema}.meter r where r.resets <= (select now from clock) order by r.resets))
        and m.resets <= (select now from clock)
    order by m.id
    for update skip locked
)
update ${schema}.meter m
set used = 0, counts_after = ${>last_report_before}, resets = m.resets + ((clock.now - m.resets) / b.period + 1) * b.period
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
    select x.id, x.counted_meters from ${schema}.execution x
    where x.id = given.id and x.epoch = given.epoch and x.session = h.id and x.counted_meters is not null offset 0
) as e
where not h.buried and e.counted_meters && :meters::integer[]

-- name: lock_breached
-- Whether it is still so, until the transaction is over. In the order of their numbers, as every statement that counts.
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
    select r.n, r.name, r.dimension, r.amount, r.key, e.id as execution, e.counted_meters, e.reserved_amounts, l.namespace
    from unnest(
        :ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[],
        :names::text[], :dimensions::text[], :amounts::bigint[], :keys::text[]
    ) with ordinality as r (id, part, attempt, epoch, name, dimension, amount, key, n)
    join ${schema}.execution e on e.id = r.id
    join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > (select now from clock)
    join ${schema}.lane l on l.id = e.lane
    where e.part = r.part and e.situation = 'running' and e.attempts - 1 = r.attempt and e.epoch = r.epoch
    order by e.id
    for update of e
),
asked as materialized (
    -- with the budget that was named, if there is one, and its number, if it counts this
    select holder.*, b.id as named, m.budget as own
    from holder
    left join ${schema}.budget b on b.namespace = holder.namespace and b.name = holder.name and not b.deleted
    left join ${schema}.meter m on m.budget = b.id and m.key = holder.dimension
),
fresh as materialized (
    -- of a key that is not kept yet, the first report
    select distinct on (asked.own, asked.key) asked.*
    from asked
    where asked.own is not null
        and not exists (select from ${schema}.spending p where p.budget = asked.own and p.key = asked.key)
    order by asked.own, asked.key, asked.n
),
above as (
    -- once for each budget that it counts in: the one that was named, and those above
    select
        fresh.n, fresh.execution, fresh.counted_meters, fresh.reserved_amounts, fresh.namespace, fresh.own, fresh.key, fresh.dimension, fresh.amount,
        b.id as budget, b.name, b.parent, b.deleted, b.enforcement, 0 as height
    from fresh
    join ${schema}.budget b on b.id = fresh.own
    union all
    select
        above.n, above.execution, above.counted_meters, above.reserved_amounts, above.namespace, above.own, above.key, above.dimension, above.amount,
        b.id, b.name, b.parent, b.deleted, b.enforcement, above.height + 1
    from above
    join ${schema}.budget b on b.id = above.parent
),
drawn as (
    select above.*, m.id as meter, m.used, m.soft, m.hard
    from above
    join ${schema}.meter m on m.budget = above.budget and m.key = above.dimension
    order by m.id
    for update of m
),
final as materialized (
    -- the last report of this statement
    select coalesce(min(reaching.n), cardinality(:keys::text[]))::integer as n
    from (
        select n, amount, hard, used + sum(amount) over (partition by meter order by n) as used
        from drawn
        where enforcement = 'cancel' and not deleted
    ) as reaching
    where reaching.used - reaching.amount < reaching.hard and reaching.used >= reaching.hard
),
added as (
    insert into ${schema}.spending (budget, key, execution, dimension, amount, at)
    select fresh.own, fresh.key, fresh.execution, fresh.dimension, fresh.amount, (select now from clock)
    from fresh
    where fresh.n <= (select n from final)
    order by fresh.n
    on conflict do nothing
    returning budget, key
),
counted as materialized (
    select
        n, execution, counted_meters, reserved_amounts, namespace, dimension, amount, budget, name, deleted, enforcement, height, meter, soft, hard,
        (used + sum(amount) over (partition by meter order by n))::bigint as used,
        sum(amount) over (partition by meter, execution order by n) as spent,
        coalesce(reserved_amounts[array_position(counted_meters, meter)], 0) as hold
    from drawn
    where ((own, key) in (select added.budget, added.key from added)) is true
),
settled as materialized (
    select
        n, execution, counted_meters, reserved_amounts, amount, budget, meter,
        (least(spent, hold) - least(spent - amount, hold))::bigint as settled,
        enforcement = 'cancel' and not deleted and used >= hard as cancels
    from counted
),
charged as (
    update ${schema}.meter m
    set used = m.used + total.amount, reserved = m.reserved - total.settled, ${>changed_meter}
    from (
        select meter, sum(amount)::bigint as amount, sum(settled)::bigint as settled from settled group by meter
    ) as total
    where m.id = total.meter
),
held_less as (
    update ${schema}.execution e
    set reserved_amounts = (
        select array_agg(given.hold - coalesce(total.settled[array_position(total.meters, given.slot)], 0) order by given.n)
        from unnest(total.counted_meters, total.reserved_amounts) with ordinality as given (slot, hold, n))
    from (
        select execution, counted_meters, reserved_amounts, array_agg(meter) as meters, array_agg(settled) as settled
        from (
            select execution, counted_meters, reserved_amounts, meter, sum(settled)::bigint as settled
            from settled
            where settled > 0
            group by execution, counted_meters, reserved_amounts, meter
        ) as each_meter
        group by execution, counted_meters, reserved_amounts
    ) as total
    where e.id = total.execution
),
told as (
    insert into ${schema}.event_${day} (kind, at, namespace, payload)
    select
        'budget_reached', (select now from clock), counted.namespace,
        jsonb_build_object('budget', counted.name, 'dimension', counted.dimension, 'hard', bound.hard, 'used', counted.used)
    from counted
    cross join lateral (values (false, counted.soft), (true, counted.hard)) as bound (hard, at)
    where not counted.deleted and counted.used - counted.amount < bound.at and counted.used >= bound.at
    order by counted.n, counted.height, bound.hard
)
select
    n, (select n from final) as final, bool_or(defined) as defined, max(own) as budget,
    coalesce(array_agg(budget) filter (where budget is not null), '{}') as budgets,
    coalesce(array_agg(settled) filter (where budget is not null), '{}') as settled,
    coalesce(bool_or(cancels), false) as cancels
from (
    select n, named is not null as defined, own, null::integer as budget, null::bigint as settled, null::boolean as cancels
    from asked
    where n <= (select n from final)
    union all
    select n, null, null, budget, settled, cancels from settled
) as outcome
group by n
order by n

-- name: spent_before
select p.budget, p.key, p.execution, p.dimension, p.amount
from unnest(:budgets::integer[], :keys::text[]) as asked (budget, key)
join ${schema}.spending p on p.budget = asked.budget and p.key = asked.key

-- name: use_less
-- The caller has locked them. What a reset has forgotten is not taken back once more.
update ${schema}.meter set used = greatest(0, used - :amount::bigint)
where id = any(:ids::integer[]) and counts_after < :report::bigint

-- name: tell_budget
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'budget_changed', ${>now}, :namespace, :actor, :reason, :payload::jsonb

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
returning p.id, p.dimension, p.amount

-- name: lock_next_dimensions
-- The next meters of budgets, as lock_next_meters locks those of quotas.
select m.id, b.name, m.key, m.running, m.reserved
from ${schema}.meter m
join ${schema}.budget b on b.id = m.budget
where b.namespace = :namespace and m.id > :after::integer
order by m.id
limit :limit::integer
for update of m
