-- fragment: lane_columns
id, namespace, name, settings::text as settings, since, registered_by, changed

-- name: lanes
select id, namespace, name from ${schema}.lane where id = any(:ids::integer[])

-- name: lanes_by_name
select ${>lane_columns} from ${schema}.lane
where (namespace, name) in (select * from unnest(:namespaces::text[], :names::text[]))

-- name: add_lanes
-- Its first generation is a moment: a lane that had the number before the database was restored had another one.
insert into ${schema}.lane (namespace, name, since, registered_by, generation)
select namespace, name, ${>now}, registered_by, ${>generation_of_now}
from unnest(:namespaces::text[], :names::text[], :registrars::text[]) as wanted (namespace, name, registered_by)
order by namespace, name
on conflict do nothing
returning id

-- fragment: generation_of_now
floor(extract(epoch from clock_timestamp()) * 1000)::bigint

-- name: remove_unused_lanes
-- A refused submission leaves no trace: not even the lane that it would have begun.
delete from ${schema}.lane where id = any(:ids::integer[]) and id <> all(:used::integer[])

-- name: gates
select id, kind, needs, timed, meters, quotas, budgets, lead_from, lead_to from ${schema}.gate where id = any(:ids::integer[])

-- name: gates_by_digest
select id, digest from ${schema}.gate where digest = any(:digests::bytea[])

-- name: add_gates
insert into ${schema}.gate (kind, needs, compares, timed, meters, quotas, budgets, lead_from, lead_to, digest)
select
    kind, needs::text[], compares, timed, meters::integer[], quotas::text[], budgets::text[], lead_from::integer[],
    lead_to::integer[], digest
from unnest(
    :kinds::text[], :needs::text[], :compares::boolean[], :timed::boolean[], :meters::text[], :quotas::text[], :budgets::text[],
    :lead_froms::text[], :lead_tos::text[], :digests::bytea[]
) as g (kind, needs, compares, timed, meters, quotas, budgets, lead_from, lead_to, digest)
order by digest
on conflict do nothing

-- name: share_lanes
-- Whoever changes what holds for everything in a lane waits until its new gates can be seen.
select ${>lane_columns}, generation from ${schema}.lane
where id = any(:ids::integer[])
order by id
for share

-- name: add_lane_gates
-- Those that there are keep what they are, are no longer retired, and learn of the amounts that are reserved behind them.
with pair as materialized (
    select
        lane, gate, generation, meters::integer[] as meters, floors::bigint[] as floors, lead_from::integer[] as lead_from,
        lead_to::integer[] as lead_to, smallest::bigint[] as smallest, varies
    from unnest(
        :lanes::integer[], :gates::integer[], :generations::bigint[], :meters::text[], :floors::text[], :lead_froms::text[],
        :lead_tos::text[], :smallests::text[], :varies::boolean[]
    ) as pair (lane, gate, generation, meters, floors, lead_from, lead_to, smallest, varies)
    order by lane, gate
),
metered as (
    ${>add_lane_meters}
)
insert into ${schema}.lane_gate as g (lane, gate, generation, meters, floors, lead_from, lead_to, smallest, varies)
select lane, gate, generation, meters, floors, lead_from, lead_to, smallest, varies from pair
on conflict (lane, gate) do update
set generation = excluded.generation,
    smallest = case when g.smallest is not null
        then array(select least(known, given) from unnest(g.smallest, excluded.smallest) as amount (known, given)) end,
    varies = g.varies or excluded.varies or coalesce(excluded.smallest <> g.smallest, false)
where g.generation < excluded.generation
    or exists (select from unnest(g.smallest, excluded.smallest) as amount (known, given) where given < known)
    or (not g.varies and (excluded.varies or excluded.smallest <> g.smallest))

-- name: any_deleted
-- Whether one of these meters is of a deleted quota, or one of these budgets is deleted. Those above them may be.
select
    exists (
        select from ${schema}.meter m
        join ${schema}.quota q on q.id = m.quota
        where m.id = any(:meters::integer[]) and q.deleted)
    or exists (
        select from unnest(:namespaces::text[], :budgets::text[]) as named (namespace, name)
        join ${schema}.budget b on b.namespace = named.namespace and b.name = named.name
        where b.deleted) as deleted

-- fragment: add_lane_meters
    insert into ${schema}.lane_meter (meter, lane)
    select distinct meter, lane from pair cross join unnest(meters) as meter
    order by meter, lane
    on conflict do nothing

-- name: change_lane_gates
with pair as materialized (
    select
        :lane::integer as lane, gate, meters::integer[] as meters, floors::bigint[] as floors,
        lead_from::integer[] as lead_from, lead_to::integer[] as lead_to
    from unnest(:gates::integer[], :meters::text[], :floors::text[], :lead_froms::text[], :lead_tos::text[])
        as pair (gate, meters, floors, lead_from, lead_to)
),
metered as (
    ${>add_lane_meters}
)
update ${schema}.lane_gate
set meters = pair.meters, floors = pair.floors, lead_from = pair.lead_from, lead_to = pair.lead_to
from pair
where lane_gate.lane = pair.lane and lane_gate.gate = pair.gate

-- name: policy
select id, body from ${schema}.policy where id = any(:ids::integer[])

-- name: policy_of
select id from ${schema}.policy where body = :body

-- name: add_policy
insert into ${schema}.policy (body, attempt_timeout, stall_timeout, retention)
values (:body, :attempt_timeout::bigint, :stall_timeout::bigint, :retention::bigint)
on conflict do nothing

-- name: greet_server
-- When the server was started, and whether that is yet to be noted: a standby and a database that is only read note nothing.
select
    extract(epoch from pg_postmaster_start_time())::text as started,
    server_started is distinct from pg_postmaster_start_time() and current_setting('transaction_read_only') = 'off' as unnoted
from ${schema}.event_log

-- name: note_server
-- A server that was started anew may have the data of an earlier time, out of a copy or because commits were lost: then
-- numbers are given out again for other things. So a process that submits by what it knew before has to look it up again.
with noted as (
    update ${schema}.event_log set server_started = pg_postmaster_start_time()
    where server_started is distinct from pg_postmaster_start_time()
    returning server_started
),
held as (
    select id from ${schema}.lane where exists (select from noted) order by id for no key update
)
update ${schema}.lane l
set generation = greatest(l.generation + 1, ${>generation_of_now})
from held
where l.id = held.id
