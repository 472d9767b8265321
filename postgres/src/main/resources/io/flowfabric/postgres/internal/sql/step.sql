-- name: facts
-- What a decision depends on, under the lock of the row, locked in the order of ids.
${>facts_of}
order by e.id
for update of e

-- name: free_facts
-- The same, of those that nobody else is at.
${>facts_of}
order by e.id
for update of e skip locked

-- fragment: facts_of
select
    e.id, e.part, e.lane, e.gate, e.policy, e.situation, e.next, e.until, e.delayed_by, e.detail, e.priority, e.attempts, e.epoch,
    e.retries, e.reclaims, e.replays, e.session, e.since, e.counted_meters, e.deadline, e.changed,
    greatest(e.progress_at, e.step_at) as progress_at, e.share,
    e.waited, e.flow,
    ${>asked_columns},
    ${>now} as now
from ${schema}.execution e
where e.id = any(:ids::uuid[])

-- name: complete
-- The ending that most work has: done, with a small result, by work that counts against nothing and has no timers. The ids
-- come in their order, which is that of the locks; the fence is in the write.
with ${>clock},
changed as (
    update ${schema}.execution e
    set ${>completed_now}
    from clock
    ${>completions}
    where e.id = i.id and e.counted_meters is null and ${>fence_holds} and ${>untimed} and ${>in_no_flow}
    returning
        e.id, e.part, e.lane, e.submitted, e.seq, e.attempts, e.epoch, s.id as owner, e.changed as now,
        e.changed + t.retention as due
),
${>completions_written}
select id from changed

-- name: complete_counted
-- As complete does it, for work that counts against quotas and budgets: what it counted, and what is still set aside for it, is
-- read under its lock and given back.
with ${>clock},
held as (
    select i.*, e.counted_meters, e.reserved_amounts, s.id as owner, t.retention
    from clock
    ${>completions}
    cross join ${schema}.execution e
    where e.id = i.id and ${>fence_holds} and ${>untimed} and ${>in_no_flow}
    order by e.id
    for update of e
),
changed as (
    update ${schema}.execution e
    set ${>completed_now}, counted_meters = null, reserved_amounts = null
    from clock
    cross join held i
    where e.id = i.id
    returning
        e.id, e.part, e.lane, e.submitted, e.seq, e.attempts, e.epoch, i.owner, e.changed as now, e.changed + i.retention as due,
        i.counted_meters, i.reserved_amounts
),
${>completions_written},
given_up as (
    -- The meters are locked last, because claims and other endings wait for them until the commit. A write that nothing reads
    -- is made after everything else: so these two return a row each, which are counted here to have them made before.
    select counted_meters, reserved_amounts
    from changed
    where counted_meters is not null and (select count(*) from made_inactive) + (select count(*) from recorded) >= 0
),
${>given_back}
select
    id, uncounted.meters > 0 as counted, uncounted.waited_for as freed
from changed
cross join uncounted

-- name: complete_members
-- The ending that most members of flows have, with all that follows from it: done, with a small result, by work that counts against nothing
-- and has no timers; those that come after it start now or go on waiting, and its flow ends well or goes on. It decides as FlowSettlement does. What asks for more of that
-- it leaves alone, and says nothing of it: then the program decides. All flows are locked before anything else; the rest of the statement
-- sees what was there before it waited for the locks, so a flow that was changed meanwhile is left alone, too.
with ${>clock},
locked as materialized (
    select f.id, f.changing, f.xmin as version
    from ${schema}.flow f
    where f.id = any(array(select e.flow from ${schema}.execution e where e.id = any(:ids::uuid[]) and e.flow is not null))
        and f.state = 'running' and not f.unsettled
    order by f.id
    for update
),
unchanged as materialized (
    select locked.id
    from locked
    cross join lateral (select from ${schema}.flow f where f.id = locked.id and f.xmin = locked.version limit 1) as seen
    where not locked.changing::jsonb ? 'cancelled'
        and not exists (select from ${schema}.flow_ended d where d.flow = locked.id)
),
held as materialized (
    select i.*, e.flow, s.id as owner, t.retention
    from clock
    ${>completions}
    cross join ${schema}.execution e
    where e.id = i.id and (e.flow in (select id from unchanged)) is true and e.counted_meters is null
        and ${>fence_holds} and ${>untimed}
    order by e.id
    for update of e
),
ended as materialized (
    select held.*, m.number
    from held
    cross join lateral (
        -- found by the execution: a flow may have thousands
        select m.number
        from (select * from ${schema}.flow_member m where m.execution = held.id offset 0) as m
        where m.flow = held.flow and m.outcome is null
        limit 1
    ) as m
),
-- Arcs to members that go on to be; more than a commit should take are left alone.
arc as materialized (
    select ended.flow, g.downstream, count(*)::integer as told
    from ended
    cross join lateral (
        select g.downstream from ${schema}.flow_edge g where g.flow = ended.flow and g.upstream = ended.number limit 1001
    ) as g
    group by ended.flow, g.downstream
),
told as materialized (
    select
        m.flow, m.number, m.execution, arc.told,
        m.decided = 'pending' and not m.growing and m.met + arc.told >= coalesce(m.quorum, m.edges) as satisfied,
        m.cancels and m.edges > m.met + arc.told + m.missed as relieves
    from arc
    cross join lateral (
        select * from ${schema}.flow_member m where m.flow = arc.flow and m.number = arc.downstream and m.outcome is null limit 1
    ) as m
    -- each is looked up, here and below: a join would compare each with each
    where m.execution not in (select id from ended)
),
starting as materialized (
    select told.flow, e.id, e.until is not null or l.sharing as intricate
    from told
    cross join lateral (
        select e.id, e.until, e.lane from ${schema}.execution e
        where e.id = told.execution and e.flow = told.flow and e.situation = 'awaiting_children' limit 1
    ) as e
    join ${schema}.lane l on l.id = e.lane
    where told.satisfied
),
intricate as materialized (
    select flow from told where satisfied and relieves
    union
    select flow from starting where intricate
    union
    select flow from arc group by flow having sum(told) > 1000
),
settled as materialized (
    -- the flows of which all is done here, with what becomes of them
    select f.*, clock.now, f.live = f.done and not f.open as over
    from clock
    cross join (
        select ended.flow, count(*)::integer as done from ended group by ended.flow
    ) as its
    cross join lateral (
        select
            f.id, f.part, f.namespace, f.kind, its.done, f.changing::jsonb as changing, f.fixed::jsonb as fixed,
            (f.changing::jsonb -> 'tally' ->> 0)::integer as live,
            coalesce((f.changing::jsonb ->> 'open')::boolean, false) as open
        from ${schema}.flow f where f.id = its.flow limit 1
    ) as f
    where (its.flow in (select flow from intricate)) is not true
        -- one that is awaited, or of which members were lost, does not end here
        and (f.live > f.done or (not f.fixed ? 'parent' and (
            select sum(lost::integer) from jsonb_array_elements_text(f.changing -> 'tally') with ordinality as t (lost, n)
            where n in (3, 4, 5)) = 0))
),
-- Chosen before anything is written: an update that meets a row that was changed meanwhile asks its conditions again, and would find
-- what this statement has written itself.
endings as materialized (
    select ended.* from ended where (ended.flow in (select id from settled)) is true
),
tellings as materialized (
    select told.* from told where (told.flow in (select id from settled)) is true
),
starts as materialized (
    select starting.* from starting where (starting.flow in (select id from settled)) is true
),
flows as (
    update ${schema}.flow f
    set state = case when settled.over then 'completed'::${schema}.flow_state else f.state end,
        ended = case when settled.over then settled.now end,
        changing = (
            jsonb_set(
                jsonb_set(settled.changing, '{tally,0}', to_jsonb(settled.live - settled.done)),
                '{tally,1}', to_jsonb((settled.changing -> 'tally' ->> 1)::integer + settled.done))
            || case when settled.over
                then jsonb_build_object('state', 'completed', 'ended', settled.now) else '{}'::jsonb end)::text
    from settled
    where f.id = settled.id
),
changed as (
    update ${schema}.execution e
    set ${>completed_now}
    from clock
    cross join endings i
    where e.id = i.id
    returning
        e.id, e.part, e.lane, e.submitted, e.seq, e.attempts, e.epoch, i.owner, e.changed as now, e.changed + i.retention as due
),
members_ended as (
    update ${schema}.flow_member m
    set outcome = 'success', ended_at = clock.now
    from clock
    cross join endings
    where m.flow = endings.flow and m.number = endings.number
),
members_told as (
    update ${schema}.flow_member m
    set met = m.met + tellings.told,
        decided = case when tellings.satisfied then 'satisfied' else m.decided end,
        ready_at = case when tellings.satisfied then clock.now else m.ready_at end
    from clock
    cross join tellings
    where m.flow = tellings.flow and m.number = tellings.number
),
started as (
    update ${schema}.execution e
    set situation = 'ready', delayed_by = null, detail = null, session = null, since = null,
        rank = (select ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing) from ${schema}.lane l where l.id = e.lane),
        changed = greatest(clock.now, e.changed)
    from clock
    cross join starts
    where e.id = starts.id and e.situation = 'awaiting_children'
    returning
        e.id, e.part, e.lane, e.gate, e.rank, e.next, e.submitted, e.seq, e.deadline, e.reserve, e.attempts, e.epoch, e.changed as now
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, deadline, submitted, begins_attempt, reserve)
    select
        lane, gate, rank, next = 'first', seq, id, deadline, submitted, next in ('first', 'retry', 'replay'), reserve
    from started
),
made_active as (
    delete from ${schema}.inactive r
    using started
    where r.lane = started.lane and r.situation = 'awaiting_children' and r.submitted = started.submitted and r.seq = started.seq
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended, due)
    select lane, 'completed', submitted, seq, id, now, due from changed
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, 'completed', count(*) from changed group by lane
),
recorded as (
    -- what ended, what starts after it, which flows are over
    insert into ${schema}.event_${day} (
        kind, at, execution, part, lane, transition, situation, attempts, epoch, session, namespace, payload)
    select kind, at, execution, part, lane, transition, situation, attempts, epoch, session, namespace, payload
    from (
        select
            1 as turn, 'step'::${schema}.event_kind as kind, now as at, id as execution, part, lane,
            'complete'::${schema}.transition as transition, 'completed'::${schema}.situation as situation, attempts, epoch,
            owner as session, null as namespace, null::jsonb as payload
        from changed
        union all
        select 2, 'step', now, id, part, lane, 'satisfy', 'ready', attempts, epoch, null, null, null from started
        union all
        select
            3, 'flow_changed', now, null, part, null, null, null, null, null, null, namespace,
            jsonb_build_object(
                'flow', format('{fp:%s}:%s', part, id), 'flow_kind', kind, 'step', 'ended', 'state', 'completed',
                'tags', coalesce(fixed -> 'tags', '{}'::jsonb))
        from settled where over
    ) as event
    order by turn
)
select id, false as started, lane, null::bigint as fresh from changed
union all
select id, true, lane, case when next = 'first' then seq end from started

-- fragment: completed_now
        situation = 'completed', detail = null, session = null, since = null,
        changed = greatest(clock.now, e.changed),
        released_epoch = i.epoch, released_digest = i.digest, released_transition = 'complete', released_until = null,
        result_type = i.content_type, result = i.result

-- fragment: completions
    cross join unnest(
        :ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[], :digests::bytea[], :types::text[], :results::bytea[]
    ) as i (id, part, attempt, epoch, digest, content_type, result)
    cross join ${schema}.session s
    cross join ${schema}.policy t

-- fragment: fence_holds
        e.part = i.part and e.situation = 'running' and e.attempts - 1 = i.attempt and e.epoch = i.epoch
        and s.id = e.session and not s.dead and s.alive_until > clock.now

-- fragment: untimed
        e.deadline is null and t.id = e.policy and t.attempt_timeout is null and t.stall_timeout is null
        -- readers of its stream have to be told, which the statement for every ending does
        and e.streamed is null

-- fragment: in_no_flow
        -- those that come after a member are told in the same commit, under the lock of its flow
        e.flow is null

-- fragment: completions_written
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended, due)
    select lane, 'completed', submitted, seq, id, now, due from changed
    returning 1
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, 'completed', count(*) from changed group by lane
),
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select now, id, part, lane, 'complete', 'completed', attempts, epoch, owner from changed
    returning 1
)

-- fragment: given_back
-- What was given up counted, and what was set aside for it, is given back to its meters, which all lock in the order of their
-- numbers. Work can only have waited for one that had no place left, or that is of a budget.
freed as (
    select m.id, asked.places, asked.reserved, m.waited_for
    from (
        select slot as id, count(*)::integer as places, sum(hold)::bigint as reserved
        from given_up cross join unnest(counted_meters, reserved_amounts) as given (slot, hold)
        group by slot
        order by slot
    ) as asked
    cross join lateral (
        select m.id, m.budget is not null or m.running >= m.concurrency_limit as waited_for ${>newest_meter} for update
    ) as m
),
uncounted as materialized (
    -- One row, which every statement reads: a look that nobody reads is not made, and one of several rows not to its end.
    select
        count(${schema}.count_in(freed.id, -freed.places, -freed.reserved, null, null)) as meters,
        coalesce(array_agg(freed.id) filter (where freed.waited_for), '{}') as waited_for
    from freed
)

-- name: end
-- By which the holder of a lease gives it up. The fence is in the write: only what is running, at that
-- epoch, under a living session, is changed: either what is in no flow, or members, whose flows the caller has locked.
with ${>clock},
item as (
    -- With what the write needs to know and cannot see, read under the lock: who holds it, and what is set aside for it.
    select
        i.*, coalesce(i.until_at, clock.now + i.until_after) as until, clock.now,
        e.session as owner, e.counted_meters, e.reserved_amounts, t.retention, t.attempt_timeout is not null or t.stall_timeout is not null as timed
    from clock
    cross join unnest(
        :ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[], :digests::bytea[], :transitions::text[],
        :situations::text[], :nexts::text[], :until_ats::bigint[], :until_afters::bigint[], :delayed_bys::text[],
        :categories::text[], :messages::text[], :traces::text[], :types::text[], :results::bytea[]
    ) as i (
        id, part, attempt, epoch, digest, transition,
        situation, next, until_at, until_after, delayed_by,
        category, message, trace, content_type, result)
    join ${schema}.execution e on e.id = i.id and e.part = i.part and e.situation = 'running'
        and e.attempts - 1 = i.attempt and e.epoch = i.epoch and (e.flow is not null) = :members::boolean
    join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > clock.now
    join ${schema}.policy t on t.id = e.policy
    order by e.id
    for update of e
),
changed as (
    update ${schema}.execution e
    set situation = (case when i.until <= i.now then 'ready' else i.situation end)::${schema}.situation,
        next = coalesce(i.next::${schema}.next, e.next),
        until = case when i.until > i.now then i.until end,
        delayed_by = case when i.until > i.now then i.delayed_by::${schema}.delayed_by end,
        detail = null,
        session = null,
        since = null,
        counted_meters = null,
        reserved_amounts = null,
        -- where it would go on; the lane may have other settings by now
        rank = case when i.next is null then e.rank else (
            select ${schema}.place_of(e.priority, e.submitted, l.ageing, l.sharing)
            from ${schema}.lane l where l.id = e.lane) end,
        retries = e.retries + (case when i.transition = 'retry' then 1 else 0 end),
        -- whoever waited here for another does not write an earlier time than that one did
        changed = greatest(i.now, e.changed),
        released_epoch = i.epoch,
        released_digest = i.digest,
        released_transition = i.transition::${schema}.transition,
        released_until = i.until,
        failure_category = case when i.category is null then e.failure_category else i.category end,
        failure_message = case when i.category is null then e.failure_message else i.message end,
        failure_detail = case when i.category is null then e.failure_detail else i.trace end,
        result_type = i.content_type,
        result = case when octet_length(i.result) <= :inline::integer then i.result end
    from item i
    where e.id = i.id and e.situation = 'running' and e.attempts - 1 = i.attempt and e.epoch = i.epoch and e.session = i.owner
    returning
        e.id, e.part, e.lane, e.gate, e.rank, e.submitted, e.seq, e.situation, e.until, e.released_until, e.deadline, e.reserve,
        e.attempts, e.epoch, i.owner, i.counted_meters, i.reserved_amounts, e.changed as now, i.transition, i.category, i.message, i.trace, i.result as produced,
        i.next is null as finished, i.retention, i.timed or e.deadline is not null as timed, e.streamed
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, deadline, submitted, begins_attempt, reserve)
    select lane, gate, rank, false, seq, id, deadline, submitted, transition = 'retry', reserve from changed where situation = 'ready'
),
untimed as (
    delete from ${schema}.timer t
    using changed
    where changed.timed and t.id = changed.id and (changed.finished or t.kind <> 'deadline')
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select id, 'wake'::${schema}.timer_kind, until from changed where until is not null
),
given_up as (
    select counted_meters, reserved_amounts from changed where counted_meters is not null
),
${>given_back},
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended, due)
    select
        lane, situation, submitted, seq, id,
        case when finished then now end, case when finished then now + retention end
    from changed
    where situation <> 'ready'
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, count(*) from changed where finished group by lane, situation
),
${>produced},
recorded as (
    insert into ${schema}.event_${day} (
        at, execution, part, lane, transition, situation, attempts, epoch, session, until,
        failure_category, failure_message, failure_detail)
    select
        now, id, part, lane, transition::${schema}.transition, situation, attempts, epoch, owner, until,
        category, message, trace
    from changed
)
select
    id, lane, situation = 'ready' as ready, released_until as until, streamed is not null as streamed, uncounted.waited_for as freed
from changed
cross join uncounted

-- fragment: produced
stored as (
    insert into ${schema}.payload (id, produced, bytes)
    select id, true, produced from changed where octet_length(produced) > :inline::integer
)

-- name: step
-- Writes steps that were decided beside the store, from rows that this transaction has before.
with ${>clock},
item as (
    select i.*, clock.now
    from clock
    cross join unnest(
        :ids::uuid[], :transitions::text[], :situations::text[],
        :nexts::text[], :untils::bigint[], :delayed_bys::text[], :details::text[],
        :priorities::smallint[], :retries::integer[], :reclaims::integer[], :replays::integer[],
        :deadlines::bigint[], :actors::text[], :reasons::text[],
        :categories::text[], :messages::text[], :traces::text[], :types::text[], :results::bytea[], :cleared::boolean[],
        :sinces::bigint[], :digests::bytea[], :abandoned::uuid[]
    ) as i (
        id, transition, situation,
        next, until, delayed_by, detail,
        priority, retries, reclaims, replays,
        deadline, actor, reason,
        category, message, trace, content_type, result, cleared,
        suspended_since, digest, abandoned)
),
before as (
    -- with all that the item says: joining the two again would compare each with each
    select
        i.*, e.lane, e.gate, e.rank, e.submitted, e.seq, e.situation as was, e.next = 'first' as fresh,
        e.since, e.next in ('first', 'retry', 'replay') as begins,
        -- a grant is no lease: only letting it lapse is a matter of whom it was given to
        case when (e.situation = 'running' and i.transition <> 'reprioritise') or i.transition = 'forfeit' then e.session end as owner,
        case when i.transition <> 'reprioritise' then e.counted_meters end as counted_meters,
        case when i.transition <> 'reprioritise' then e.reserved_amounts end as reserved_amounts
    from item i
    join ${schema}.execution e on e.id = i.id
),
unqueued as (
    delete from ${schema}.ready r
    using before
    where before.was = 'ready'
        and r.lane = before.lane and r.gate = before.gate and r.rank = before.rank
        and r.fresh = before.fresh and r.seq = before.seq
),
changed as (
    update ${schema}.execution e
    set situation = (
            case when i.situation in ('delayed', 'backing_off', 'resuming_later') and i.until <= i.now
                    and i.transition <> 'reprioritise' then 'ready'
                else i.situation end)::${schema}.situation,
        next = coalesce(i.next::${schema}.next, e.next),
        until = case
            when i.transition = 'reprioritise' then e.until
            when i.situation in ('held_by_operator', 'awaiting_children', 'suspended') or i.until > i.now then i.until end,
        delayed_by = case
            when i.transition = 'reprioritise' then e.delayed_by
            when i.situation in ('held_by_operator', 'awaiting_children') or i.until > i.now then i.delayed_by::${schema}.delayed_by end,
        detail = case when i.transition = 'reprioritise' then e.detail else i.detail end,
        session = case when i.transition = 'reprioritise' then e.session end,
        since = case when i.transition = 'reprioritise' then e.since else i.suspended_since end,
        counted_meters = case when i.transition = 'reprioritise' then e.counted_meters end,
        reserved_amounts = case when i.transition = 'reprioritise' then e.reserved_amounts end,
        priority = coalesce(i.priority, e.priority),
        first_priority = case when i.priority is null then e.first_priority else coalesce(e.first_priority, e.priority) end,
        rank = (
            select ${schema}.place_of(coalesce(i.priority, e.priority), e.submitted, l.ageing, l.sharing)
            from ${schema}.lane l where l.id = e.lane),
        retries = e.retries + i.retries,
        reclaims = e.reclaims + i.reclaims,
        replays = e.replays + i.replays,
        deadline = case when i.transition = 'replay' then i.deadline else e.deadline end,
        changed = greatest(i.now, e.changed),
        -- where its holder let go of it
        released_epoch = case when i.digest is null then e.released_epoch else e.epoch end,
        released_digest = coalesce(i.digest, e.released_digest),
        released_transition = case when i.digest is null then e.released_transition else i.transition::${schema}.transition end,
        released_until = case when i.digest is null then e.released_until else i.until end,
        -- what is replayed has neither failed nor produced anything
        failure_category = case when i.transition = 'replay' or i.category is not null then i.category else e.failure_category end,
        failure_message = case when i.transition = 'replay' or i.category is not null then i.message else e.failure_message end,
        failure_detail = case when i.transition = 'replay' or i.category is not null then i.trace else e.failure_detail end,
        -- only what ends says by whom
        ended_by = case when i.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped') then i.actor end,
        end_reason = case when i.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped') then i.reason end,
        result_type = case when i.transition = 'replay' or i.result is not null then i.content_type else e.result_type end,
        result = case
            when i.transition = 'replay' or i.result is not null
                then case when octet_length(i.result) <= :inline::integer then i.result end
            else e.result end,
        steps = case when not i.cleared then e.steps end,
        step_bytes = case when not i.cleared then e.step_bytes end,
        step_at = case when not i.cleared then e.step_at end
    from before i
    where e.id = i.id
    returning
        e.id, e.part, e.lane, e.gate, e.rank, e.submitted, e.seq, i.was, e.situation, e.next, e.until, e.deadline, e.reserve,
        e.attempts, e.epoch, i.owner, i.counted_meters, i.reserved_amounts,
        case when i.was = 'granted' and i.begins then i.since end as unbegun, e.policy, e.changed as now, i.transition, i.actor, i.reason, i.category, i.message, i.trace,
        i.result as produced, i.cleared,
        e.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped') as finished, e.streamed, e.flow, i.abandoned
),
left_to_flow as (
    -- What follows in its flow, or in one that it has awaited, is done under the lock of that, which the caller may not have.
    insert into ${schema}.flow_ended (flow, execution, outcome)
    select left_to.flow, id, (case situation when 'completed' then 'success' else situation::text end)::${schema}.outcome
    from changed
    cross join lateral (
        select flow where flow is not null and not :settles::boolean
        union all
        select f.id from ${schema}.flow f where f.id = abandoned
    ) as left_to
    where finished
    on conflict (flow, execution) do update set outcome = excluded.outcome
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, deadline, submitted, begins_attempt, reserve)
    select
        lane, gate, rank, next = 'first', seq, id, deadline, submitted, next in ('first', 'retry', 'replay'), reserve
    from changed where situation = 'ready'
),
freed as (
    -- Everyone who counts or gives back locks the meters in the order of their numbers.
    select m.id
    from ${schema}.meter m
    where m.id in (select unnest(counted_meters) from changed where counted_meters is not null)
    order by m.id
    for update
),
uncounted as (
    update ${schema}.meter m
    set running = greatest(0, m.running - given.places),
        reserved = greatest(0, m.reserved - given.reserved),
        ${>changed_meter},
        -- what was only granted has not begun
        (window_starts, window_counts) = (
            select coalesce(c.window_starts, m.window_starts), coalesce(c.window_counts, m.window_counts)
            from (select) as once
            left join lateral (
                select * from ${schema}.uncount_starts(m.window_starts, m.window_counts, m.rate, m.window_ms, given.unbegun)
                where given.unbegun is not null) as c on true),
        reopens_at = case
            when given.unbegun is null or (select sum(n) from unnest(m.window_counts) as n) - cardinality(given.unbegun) >= m.rate
                then m.reopens_at end
    from (
        select slot, count(*) as places, sum(hold) as reserved, array_agg(unbegun) filter (where unbegun is not null) as unbegun
        from changed cross join unnest(counted_meters, reserved_amounts) as given (slot, hold)
        where counted_meters is not null
        group by slot
    ) as given
    where m.id = given.slot and m.id in (select id from freed)
),
made_active as (
    delete from ${schema}.inactive r
    using changed
    where changed.was not in ('ready', 'running') and changed.was <> changed.situation
        and r.lane = changed.lane and r.situation = changed.was
        and r.submitted = changed.submitted and r.seq = changed.seq
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended, due)
    select
        changed.lane, changed.situation, changed.submitted, changed.seq, changed.id,
        case when changed.finished then changed.now end,
        case when changed.finished then changed.now + policy.retention end
    from changed
    left join ${schema}.policy on policy.id = changed.policy
    where changed.situation not in ('ready', 'running') and changed.situation <> changed.was
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, count(*) from changed where finished group by lane, situation
    union all
    -- what is replayed was ended before
    select lane, was, -count(*) from changed where transition = 'replay' group by lane, was
),
untimed as (
    delete from ${schema}.timer t
    using changed
    where t.id = changed.id
        and case t.kind
            when 'deadline' then changed.finished
            when 'wake' then changed.situation not in ('delayed', 'backing_off', 'resuming_later')
            else changed.transition <> 'reprioritise' end
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select id, 'wake'::${schema}.timer_kind, until from changed
    where situation in ('delayed', 'backing_off', 'resuming_later') and transition <> 'reprioritise'
    union all
    select id, 'suspension', until from changed where transition = 'suspend' and situation = 'suspended' and until is not null
    union all
    select id, 'deadline', deadline from changed where transition = 'replay' and deadline is not null
    on conflict (id, kind) do update set due = excluded.due
),
${>produced},
reopened as (
    delete from ${schema}.payload p using changed where p.id = changed.id and p.produced and changed.transition = 'replay'
),
unrecorded as (
    delete from ${schema}.step s using changed where changed.cleared and s.execution = changed.id
),
recorded as (
    insert into ${schema}.event_${day} (
        at, execution, part, lane, transition, situation, attempts, epoch, session, actor, reason, until,
        failure_category, failure_message, failure_detail)
    select
        now, id, part, lane, transition::${schema}.transition, situation, attempts, epoch, owner, actor, reason,
        case when situation in ('delayed', 'backing_off', 'resuming_later', 'granted') then until end,
        category, message, trace
    from changed
)
select
    id, lane, situation = 'ready' as ready, case when situation = 'ready' and next = 'first' then seq end as fresh, counted_meters,
    streamed is not null as streamed,
    -- fresh work where keys share is placed by the statement after this one
    situation = 'ready' and next = 'first' and (lane in (select l.id from ${schema}.lane l where l.sharing)) is true as needs_round
from changed

-- name: place
-- Gives rounds to fresh work that this transaction has made ready where keys share, in the order in which it is listed.
with drawn as materialized (
    select drawn.id, drawn.round
    from (
        select
            array_agg(e.id order by i.n) as ids, array_agg(e.lane order by i.n) as lanes,
            array_agg(e.priority order by i.n) as priorities, array_agg(coalesce(e.share, '') order by i.n) as keys
        from unnest(:ids::uuid[]) with ordinality as i (id, n)
        join ${schema}.execution e on e.id = i.id
    ) as asked
    cross join lateral ${schema}.draw_rounds(asked.ids, asked.lanes, asked.priorities, asked.keys, false) as drawn
),
moved as (
    update ${schema}.execution e
    set rank = e.rank + drawn.round
    from drawn
    where e.id = drawn.id
    returning e.lane, e.gate, e.rank, e.rank - drawn.round as was, e.seq, coalesce(e.share, '') as share
)
update ${schema}.ready r set rank = moved.rank, share = moved.share
from moved
where r.lane = moved.lane and r.gate = moved.gate and r.rank = moved.was and r.fresh and r.seq = moved.seq

-- name: lock_unheld_rounds
-- Fresh work where keys share, among executions that this transaction has locked, whose round or key another transaction holds. The
-- rounds and keys of the others stay free for this transaction.
with fresh as materialized (
    select e.id, e.lane, e.priority, coalesce(e.share, '') as key
    from ${schema}.execution e
    join ${schema}.lane l on l.id = e.lane and l.sharing
    where e.id = any(:ids::uuid[]) and e.next = 'first' and e.situation <> 'running'
),
free_round as materialized (
    select r.lane, r.priority
    from ${schema}.round r
    where (r.lane, r.priority) in (select lane, priority from fresh)
    order by r.lane, r.priority
    for update skip locked
),
free_share as materialized (
    select s.lane, s.priority, s.key
    from ${schema}.share s
    where (s.lane, s.priority, s.key) in (select lane, priority, key from fresh)
    order by s.lane, s.priority, s.key
    for update skip locked
)
select fresh.id
from fresh
where exists (
        select from ${schema}.round r
        where r.lane = fresh.lane and r.priority = fresh.priority
            and (r.lane, r.priority) not in (select lane, priority from free_round))
    or exists (
        select from ${schema}.share s
        where s.lane = fresh.lane and s.priority = fresh.priority and s.key = fresh.key
            and (s.lane, s.priority, s.key) not in (select lane, priority, key from free_share))

-- name: given
-- What a holder is told whose fence does not hold: perhaps it has heard it before.
select
    e.id, e.part, e.attempts, e.epoch, e.situation, e.next, e.released_epoch, e.released_digest, e.released_transition, e.released_until,
    e.flow is not null as member,
    exists (select from ${schema}.policy t where t.id = e.policy) as readable
from ${schema}.execution e
where e.id = any(:ids::uuid[])

-- name: progress
with ${>clock},
item as (
    select i.*, clock.now
    from clock
    cross join unnest(:ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[], :percents::smallint[], :messages::text[])
        as i (id, part, attempt, epoch, percent, message)
),
locked as (
    select i.*
    from item i
    join ${schema}.execution e on e.id = i.id
    where e.part = i.part and e.situation = 'running' and e.attempts - 1 = i.attempt and e.epoch = i.epoch
        and exists (
            select from ${schema}.session s where s.id = e.session and not s.dead and s.alive_until > i.now)
    order by e.id
    for update of e
)
update ${schema}.execution e
set progress_percent = i.percent, progress_message = i.message, progress_at = i.now
from locked i
where e.id = i.id
returning e.id

-- name: quarantine
-- Holds back what was claimed and then could not be read, as an operator would who pauses it. Its deadline goes on.
with ${>clock},
before as (
    select id, counted_meters, reserved_amounts
    from ${schema}.execution
    where id = any(:ids::uuid[]) and session = :session::uuid and situation = 'running'
    order by id
    for update
),
changed as (
    update ${schema}.execution e
    set situation = 'held_by_operator', detail = :detail, session = null, since = null, counted_meters = null, reserved_amounts = null,
        until = null, delayed_by = null, next = 'reclaim', changed = greatest(clock.now, e.changed)
    from before
    cross join clock
    where e.id = before.id
    returning
        e.id, e.part, e.lane, e.situation, e.submitted, e.seq, e.attempts, e.epoch, e.changed as now,
        before.counted_meters, before.reserved_amounts
),
given_up as (
    select counted_meters, reserved_amounts from changed where counted_meters is not null
),
${>given_back},
untimed as (
    delete from ${schema}.timer t using changed where t.id = changed.id and t.kind <> 'deadline'
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id)
    select lane, situation, submitted, seq, id from changed
)
insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session, actor, reason)
select now, id, part, lane, 'pause', situation, attempts, epoch, :session::uuid, :actor, :detail from changed cross join uncounted

-- name: erase
-- Forgets ended executions, whose rows the caller has locked, with everything that is theirs and with what
-- was told about them. What remains to be told is that they were erased.
with ${>clock},
gone as (
    delete from ${schema}.execution e
    using ${schema}.lane l
    where e.id = any(:ids::uuid[]) and l.id = e.lane
    returning e.id, e.part, e.lane, e.situation, e.submitted, e.seq, e.key, e.tags, e.steps, e.waited, e.streamed, l.namespace
),
rest as (
    delete from ${schema}.inactive r
    using gone
    where r.lane = gone.lane and r.situation = gone.situation and r.submitted = gone.submitted and r.seq = gone.seq
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change)
    select lane, situation, -count(*) from gone group by lane, situation
),
unkeyed as (
    delete from ${schema}.idempotency i
    using gone
    where gone.key is not null and i.namespace = gone.namespace and i.key = gone.key and i.id = gone.id
),
untagged as (
    delete from ${schema}.tag t
    using (select lane, unnest(tags) as word, submitted, seq from gone where tags is not null) as told
    where t.lane = told.lane and t.word = told.word and t.submitted = told.submitted and t.seq = told.seq
),
unstored as (
    delete from ${schema}.payload p using gone where p.id = gone.id
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
),
untold as (
    delete from ${schema}.event v using gone where v.execution = gone.id and v.kind in ('step', 'step_recorded', 'signal_received', 'waitpoint_closed')
)
insert into ${schema}.event_${day} (kind, at, execution, part, lane, actor, reason)
select 'erased', clock.now, gone.id, gone.part, gone.lane, :actor, :reason from gone, clock
