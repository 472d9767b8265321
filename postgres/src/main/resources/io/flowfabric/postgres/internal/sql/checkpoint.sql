-- name: checkpoint
-- Records steps, each of another execution. The fence is looked at, and what the limits depend on is read, under the lock of the
-- row. A name that is taken stays as it is: the caller looks at what was recorded under it.
with ${>clock},
held as (
    select
        -- whoever waited here for another does not write an earlier time than that one did
        i.*, greatest(clock.now, e.changed) as now, coalesce(e.steps, 0) as steps, coalesce(e.step_bytes, 0) as step_bytes
    from clock
    cross join unnest(
        :ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[], :names::text[], :digests::bytea[],
        :types::text[], :contents::bytea[], :sizes::integer[]
    ) as i (id, part, attempt, epoch, name, digest, content_type, content, bytes)
    join ${schema}.execution e on e.id = i.id and e.part = i.part and e.situation = 'running'
        and e.attempts - 1 = i.attempt and e.epoch = i.epoch
    join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > clock.now
    order by e.id
    for update of e
),
stored as (
    insert into ${schema}.step (execution, name, nth, bytes, digest, content_type, content, attempt, recorded)
    select id, name, steps + 1, bytes, digest, content_type, content, attempt, now
    from held
    where steps < :most::integer and step_bytes + bytes <= :most_bytes::integer
    on conflict (execution, name) do nothing
    returning execution, name, nth, bytes, attempt, recorded
),
changed as (
    -- from what was stored alone: joining it to what is held would compare each with each
    update ${schema}.execution e
    set steps = s.nth, step_bytes = coalesce(e.step_bytes, 0) + s.bytes, step_at = s.recorded
    from stored s
    where e.id = s.execution
    returning e.id, e.part, e.lane, e.epoch, s.name, s.attempt, s.recorded as now
),
recorded as (
    insert into ${schema}.event_${day} (kind, at, execution, part, lane, payload)
    select 'step_recorded', now, id, part, lane, jsonb_build_object('step', name, 'attempt', attempt, 'epoch', epoch) from changed
)
select id, now, steps, step_bytes, id in (select execution from stored) as stored from held

-- name: recorded_before
-- What was recorded under names that are taken.
select s.execution as id, s.digest, s.attempt, s.recorded
from unnest(:ids::uuid[], :names::text[]) as i (id, name)
join ${schema}.step s on s.execution = i.id and s.name = i.name

-- name: step_named
-- The step of an execution that was recorded under a name, if there is one.
select ${>step_columns}
from ${schema}.step s
where s.execution = :id::uuid and s.name = :name::text

-- name: leased_steps
-- The steps of executions that a claim has given out, in a statement of its own: most executions have none.
select s.execution, ${>step_columns}
from ${schema}.step s
where s.execution = any(:ids::uuid[])
order by s.execution, s.nth

-- name: steps
-- A page of the steps of an execution and one more, as far as the bytes before a step are not too many; one row without a name
-- when there are none.
select s.*
from ${schema}.execution e
left join lateral (
    select page.*
    from (
        select ${>step_columns}, s.nth, sum(s.bytes) over (order by s.nth) - s.bytes as ahead
        from ${schema}.step s
        where s.execution = e.id and s.nth > :before::integer
        order by s.nth
        limit :max::integer + 1
    ) as page
    where page.ahead <= :bytes::bigint
) as s on true
where e.id = :id::uuid and e.part = :part::smallint
order by s.nth

-- fragment: step_columns
    s.name, coalesce(s.content_type, 'application/octet-stream') as content_type, s.content, s.attempt, s.recorded
