-- fragment: flow_columns
    f.id, f.part, f.fixed, f.changing, ${>now} as now

-- fragment: member_columns
    m.flow, m.number, m.name, m.execution, m.part, m.quorum, m.cancels, m.growing, m.edges, m.met, m.missed, m.decided, m.ready_at,
    m.outcome, m.ended_at

-- name: flows
select
    ${>flow_columns}
from ${schema}.flow f
where f.id = any(:ids::uuid[])

-- name: lock_flows
-- Before anything else that is locked, in the order of ids.
select
    ${>flow_columns}
from ${schema}.flow f
where f.id = any(:ids::uuid[])
order by f.id
for update

-- name: lock_flows_of
-- Those that some executions are members of. Of which flow one is a member never changes.
with wanted as materialized (
    select distinct e.flow from ${schema}.execution e where e.id = any(:ids::uuid[]) and e.flow is not null
)
select
    ${>flow_columns}
from ${schema}.flow f
where f.id = any(array(select flow from wanted))
order by f.id
for update

-- name: unsettled_flows
-- Flows in which something is still to be done, because their process died over it, or did not have their lock.
select flow as id from ${schema}.flow_ended
union
select id from ${schema}.flow where unsettled
limit :limit::integer

-- name: add_flows
insert into ${schema}.flow (id, seq, part, namespace, kind, state, unsettled, ended, changing, fixed, input_type, input)
select
    i.id, nextval('${schema}.flow_seq'), i.part, i.namespace, i.kind, i.state::${schema}.flow_state, i.unsettled, i.ended, i.changing,
    i.fixed, i.type, i.input
from unnest(
    :ids::uuid[], :parts::smallint[], :namespaces::text[], :kinds::text[], :states::text[], :unsettleds::boolean[], :endeds::bigint[],
    :changings::text[], :fixeds::text[], :types::text[], :inputs::bytea[]
) as i (id, part, namespace, kind, state, unsettled, ended, changing, fixed, type, input)
on conflict (id) do nothing

-- name: change_flows
-- What has become of flows and of their members, and what is told of it.
with members as (
    update ${schema}.flow_member m
    set growing = i.growing, edges = i.edges, met = i.met, missed = i.missed, decided = i.decided::${schema}.member_decision,
        ready_at = i.ready_at, outcome = i.outcome::${schema}.outcome, ended_at = i.ended_at
    from unnest(
        :flows::uuid[], :numbers::integer[], :growing::boolean[], :edges::integer[], :met::integer[], :missed::integer[],
        :decided::text[], :ready_ats::bigint[], :outcomes::text[], :ended_ats::bigint[]
    ) as i (flow, number, growing, edges, met, missed, decided, ready_at, outcome, ended_at)
    where m.flow = i.flow and m.number = i.number
),
flows as (
    update ${schema}.flow f
    set state = i.state::${schema}.flow_state, unsettled = i.unsettled, ended = i.ended, changing = i.changing
    from unnest(:ids::uuid[], :states::text[], :unsettleds::boolean[], :endeds::bigint[], :changings::text[])
        as i (id, state, unsettled, ended, changing)
    where f.id = i.id
)
insert into ${schema}.event_${day} (kind, at, part, namespace, actor, reason, payload)
select 'flow_changed', ${>now}, i.part, i.namespace, i.actor, i.reason, i.payload::jsonb
from unnest(:parts::smallint[], :namespaces::text[], :actors::text[], :reasons::text[], :payloads::text[]) with ordinality
    as i (part, namespace, actor, reason, payload, n)
order by i.n

-- name: add_members
insert into ${schema}.flow_member (
    flow, number, name, execution, part, quorum, cancels, growing, edges, met, missed, decided, ready_at, outcome, ended_at)
select
    i.flow, i.number, i.name, i.execution, i.part, i.quorum, i.cancels, i.growing, i.edges, i.met, i.missed,
    i.decided::${schema}.member_decision, i.ready_at, null, null
from unnest(
    :flows::uuid[], :numbers::integer[], :names::text[], :executions::uuid[], :parts::smallint[], :quorums::integer[],
    :cancels::boolean[], :growing::boolean[], :edges::integer[], :met::integer[], :missed::integer[], :decided::text[],
    :ready_ats::bigint[]
) as i (flow, number, name, execution, part, quorum, cancels, growing, edges, met, missed, decided, ready_at)

-- name: add_edges
insert into ${schema}.flow_edge (flow, upstream, downstream, any_end)
select i.flow, i.upstream, i.downstream, i.any_end
from unnest(:flows::uuid[], :upstreams::integer[], :downstreams::integer[], :any_ends::boolean[])
    as i (flow, upstream, downstream, any_end)

-- name: take_ended
-- The members that have ended since their flows were settled: those that this transaction has ended, and those that ended without the
-- locks of their flows, as did executions that awaited one, which are no members. Behind them the first arcs out of them, each with the member that it leads to. The caller has the locks of the
-- flows, and settles them.
with taken as (
    delete from ${schema}.flow_ended where flow = any(:flows::uuid[]) returning flow, execution, outcome
),
ended as materialized (
    select how.flow as settled, how.outcome as how, ${>member_columns}
    from (
        select execution, outcome, flow from taken
        union all
        select i.execution, i.outcome::${schema}.outcome, e.flow
        from unnest(:executions::uuid[], :outcomes::text[]) as i (execution, outcome)
        join ${schema}.execution e on e.id = i.execution and e.flow = any(:flows::uuid[])
    ) as how
    left join ${schema}.flow_member m on m.execution = how.execution and m.flow = how.flow
)
select *
from (
    (select settled, how, null::integer as upstream, null::boolean as any_end, ${>member_columns} from ended m)
    union all
    (select ended.settled, null, g.upstream, g.any_end, ${>member_columns}
    from ended
    cross join lateral (
        select g.upstream, g.downstream, g.any_end
        from ${schema}.flow_edge g
        where g.flow = ended.flow and g.upstream = ended.number
        order by g.downstream
        limit :limit::integer
    ) as g
    cross join lateral (
        select * from ${schema}.flow_member m where m.flow = ended.flow and m.number = g.downstream limit 1
    ) as m
    order by m.flow, g.upstream, m.number
    limit :limit::integer)
) as row
order by row.how is null, row.settled, row.upstream, row.number

-- name: members_numbered
select
    ${>member_columns}
from ${schema}.flow_member m
where m.flow = :flow::uuid and m.number = any(:numbers::integer[])

-- name: live_members
select
    ${>member_columns}
from ${schema}.flow_member m
where m.flow = :flow::uuid and m.number > :after::integer and m.outcome is null
order by m.number
limit :limit::integer

-- name: all_members
select
    ${>member_columns}
from ${schema}.flow_member m
where m.flow = :flow::uuid
order by m.number

-- name: edges_from
-- With those that they lead to.
select
    g.upstream, g.downstream, g.any_end, ${>member_columns}
from unnest(:flows::uuid[], :upstreams::integer[], :afters::integer[]) with ordinality as position (flow, upstream, after, n)
cross join lateral (
    select g.upstream, g.downstream, g.any_end
    from ${schema}.flow_edge g
    where g.flow = position.flow and g.upstream = position.upstream and g.downstream > position.after
    order by g.downstream
    limit :limit::integer
) as g
cross join lateral (
    select * from ${schema}.flow_member m where m.flow = position.flow and m.number = g.downstream limit 1
) as m
order by position.n, g.downstream
limit :limit::integer

-- name: edges_into
-- With those that they lead from.
select
    g.upstream, g.downstream, g.any_end, ${>member_columns}
from (
    select g.upstream, g.downstream, g.any_end
    from ${schema}.flow_edge g
    where g.flow = :flow::uuid and g.downstream = :member::integer and g.upstream > :after::integer
    order by g.upstream
    limit :limit::integer
) as g
cross join lateral (
    select * from ${schema}.flow_member m where m.flow = :flow::uuid and m.number = g.upstream limit 1
) as m
order by g.upstream

-- name: needed_members
-- Those that another member comes after which waits.
select distinct member.number
from unnest(:numbers::integer[]) as member (number)
cross join lateral (
    select g.downstream from ${schema}.flow_edge g where g.flow = :flow::uuid and g.upstream = member.number
) as g
where g.downstream <> all(:except::integer[]) and exists (
    select from ${schema}.flow_member m
    where m.flow = :flow::uuid and m.number = g.downstream and m.outcome is null and m.decided = 'pending')

-- name: all_edges
select g.upstream, g.downstream, g.any_end
from ${schema}.flow_edge g
where g.flow = :flow::uuid
order by g.upstream, g.downstream

-- name: member_lease
-- Whether a lease of a member holds. Its holder ends it under the lock of the flow, which the caller has.
with ${>clock}
select
    e.id, e.part, e.flow,
    e.situation = 'running' and e.attempts - 1 = :attempt::integer and e.epoch = :epoch::bigint and exists (
        select from ${schema}.session s where s.id = e.session and not s.dead and s.alive_until > clock.now) as holds
from ${schema}.execution e
cross join clock
where e.id = :id::uuid

-- name: flow_inputs
select f.id, f.part, coalesce(f.input_type, 'application/octet-stream') as content_type, f.input as bytes
from ${schema}.flow f
where f.id = any(:ids::uuid[])

-- name: members_listed
select
    e.situation, ${>member_columns}
from ${schema}.flow_member m
left join ${schema}.execution e on e.id = m.execution and e.flow = m.flow
where m.flow = :flow::uuid and m.number >= :from::integer
order by m.number
limit :limit::integer

-- name: edges_listed
select u.name as upstream, d.name as downstream, g.any_end
from (
    select g.upstream, g.downstream, g.any_end
    from ${schema}.flow_edge g
    where g.flow = :flow::uuid
    order by g.upstream, g.downstream
    offset :from::integer
    limit :limit::integer
) as g
join ${schema}.flow_member u on u.flow = :flow::uuid and u.number = g.upstream
join ${schema}.flow_member d on d.flow = :flow::uuid and d.number = g.downstream
order by g.upstream, g.downstream

-- name: flows_listed
select
    ${>flow_columns}, f.seq
from ${schema}.flow f
where f.namespace = :namespace and f.seq < :before::bigint
    and (:states::text[] = '{}' or f.state::text = any(:states::text[]))
    and (:kind::text is null or f.kind = :kind::text)
order by f.seq desc
limit :limit::integer

-- name: membership
select e.id, e.part, f.id as flow, f.part as flow_part, m.number, m.name
from ${schema}.execution e
left join ${schema}.flow f on f.id = e.flow
left join ${schema}.flow_member m on m.flow = e.flow and m.execution = e.id
where e.id = :id::uuid

-- name: upstreams
-- How large the results are: what is too much for one message is not read.
select
    m.name, m.outcome, e.id,
    case when e.situation = 'completed' then coalesce(octet_length(e.result), (
        select octet_length(p.bytes) from ${schema}.payload p where p.id = e.id and p.produced)) end as bytes
from (
    select g.upstream
    from ${schema}.flow_edge g
    where g.flow = :flow::uuid and g.downstream = :member::integer
    order by g.upstream
    offset :from::integer
    limit :limit::integer
) as g
join ${schema}.flow_member m on m.flow = :flow::uuid and m.number = g.upstream
left join ${schema}.execution e on e.id = m.execution and e.flow = m.flow
order by g.upstream

-- name: leased_upstreams
-- What comes with the leases of members: those that each comes after, with what they produced. Where there are too many of them, or their
-- results are too large together, a row without a name says so.
select m.execution, u.name, u.outcome, u.content_type, u.bytes
from unnest(:ids::uuid[], :flows::uuid[]) as asked (id, flow)
cross join lateral (
    -- found by the execution: a flow may have thousands
    select m.flow, m.number, m.execution, m.edges
    from (select * from ${schema}.flow_member m where m.execution = asked.id offset 0) as m
    where m.flow = asked.flow and m.edges > 0
    limit 1
) as m
left join lateral (
    select
        g.upstream, u.name, u.outcome, e.id, e.result_type, e.result, e.size, sum(e.size) over () > :most_bytes::integer as large
    from (
        select g.upstream
        from ${schema}.flow_edge g
        where g.flow = m.flow and g.downstream = m.number and m.edges <= :most::integer
        order by g.upstream
        limit :most::integer
    ) as g
    cross join lateral (
        select u.name, u.outcome, u.execution from ${schema}.flow_member u where u.flow = m.flow and u.number = g.upstream limit 1
    ) as u
    left join lateral (
        select
            e.id, e.result_type, e.result,
            coalesce(octet_length(e.result), (
                select octet_length(p.bytes) from ${schema}.payload p where p.id = e.id and p.produced)) as size
        from ${schema}.execution e
        where e.id = u.execution and e.flow = m.flow and u.outcome = 'success' and e.situation = 'completed'
        limit 1
    ) as e on true
) as found on true
left join lateral (
    select
        found.name, found.outcome, coalesce(found.result_type, 'application/octet-stream') as content_type,
        case when found.size is not null then coalesce(found.result, (
            select p.bytes from ${schema}.payload p where p.id = found.id and p.produced)) end as bytes
    where found.large is not true
) as u on true
order by m.execution, found.upstream

-- name: forget_flows
-- Forgets flows that ended long ago, and of whose members none is left.
with recursive ${>clock},
tenant as (
    (
        select f.namespace from ${schema}.flow f where f.ended is not null order by f.namespace limit 1
    )
    union all
    select (
        select f.namespace from ${schema}.flow f
        where f.ended is not null and f.namespace > tenant.namespace order by f.namespace limit 1)
    from tenant where tenant.namespace is not null
),
over as materialized (
    select f.id
    from clock
    cross join tenant
    left join ${schema}.namespace n on n.name = tenant.namespace
    cross join lateral (
        select f.id
        from ${schema}.flow f
        where f.namespace = tenant.namespace and f.ended <= clock.now - coalesce(n.retention, :retention::bigint)
            and not exists (
                select from ${schema}.flow_member m
                join ${schema}.execution e on e.id = m.execution and e.flow = m.flow
                where m.flow = f.id)
        order by f.ended
        limit :limit::integer
    ) as f
    limit :limit::integer
),
locked as materialized (
    select f.id from ${schema}.flow f where f.id in (select id from over) and f.ended is not null order by f.id for update skip locked
),
unmembered as (
    delete from ${schema}.flow_member m using locked where m.flow = locked.id
),
unjoined as (
    delete from ${schema}.flow_edge g using locked where g.flow = locked.id
),
untold as (
    delete from ${schema}.flow_ended d using locked where d.flow = locked.id
)
delete from ${schema}.flow f using locked where f.id = locked.id
