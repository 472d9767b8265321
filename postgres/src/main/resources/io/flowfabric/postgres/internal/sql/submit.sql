-- name: submit_plain
-- Stores new work of one lane that may start at once, and has no key, tag, share key, deadline, reservation or large input: all
-- of it, or none where the lane is closed, keys share it, or its gates have been retired since. An id that is taken fails the
-- statement: then submit does it.
with ${>clock},
item as materialized (
    select
        i.*, clock.now, lane.id as lane, nextval('${schema}.execution_seq') as seq,
        ${schema}.place_of(i.priority, clock.now, lane.ageing, false) as rank
    from clock
    cross join ${schema}.lane
    cross join unnest(
        :ids::uuid[], :parts::smallint[], :gates::integer[], :policy::integer[], :priorities::smallint[],
        :creators::text[], :types::text[], :inputs::bytea[], :digests::bytea[]
    ) as i (id, part, gate, policy, priority, creator, input_type, input, digest)
    where lane.id = :lane::integer and lane.generation = :generation::bigint
        and lane.state in ('active', 'paused') and not lane.sharing
),
accepted as (
    insert into ${schema}.execution (
        id, seq, submitted, lane, gate, policy, part, priority, situation, next, rank, changed, input_type, input, digest, creator)
    select id, seq, now, lane, gate, policy, part, priority, 'ready', 'first', rank, now, input_type, input, digest, creator
    from item
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, submitted, begins_attempt)
    select lane, gate, rank, true, seq, id, now, true from item
),
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch)
    select now, id, part, lane, 'submit', 'ready', 0, 0 from item
)
select count(*)::integer as accepted, min(seq) as first from item

-- name: submit
with ${>clock},
asked as (
    select
        i.*,
        lane.namespace,
        lane.ageing,
        lane.sharing,
        clock.now,
        coalesce(i.start_at, clock.now + i.start_after) as start,
        coalesce(i.deadline_at, clock.now + i.deadline_after) as deadline
    from clock
    cross join ${schema}.lane
    join unnest(
        :ids::uuid[], :parts::smallint[], :lanes::integer[], :gates::integer[], :policy::integer[], :priorities::smallint[],
        :start_ats::bigint[], :start_afters::bigint[], :deadline_ats::bigint[], :deadline_afters::bigint[],
        :creators::text[], :keys::text[], :tags::text[], :start_dues::text[], :deadline_dues::text[],
        :types::text[], :inputs::bytea[], :digests::bytea[], :shares::text[], :rounds::bigint[], :reserves::text[], :generations::bigint[],
        :waits::text[], :flows::uuid[]
    ) with ordinality as i (
        id, part, lane, gate, policy, priority,
        start_at, start_after, deadline_at, deadline_after,
        creator, key, tags, start_due, deadline_due,
        content_type, input, digest, share, round, reserve, generation, waits, flow, n)
        on i.lane = lane.id and i.generation = lane.generation and lane.state in ('active', 'paused')
    order by i.n
),
item as (
    -- in the order in which it was asked for
    select
        asked.*, nextval('${schema}.execution_seq') as seq,
        -- where keys share, and whoever calls has not drawn a round for it beforehand, as he has to
        sharing and start <= now and waits is null as turns,
        sharing and start <= now and waits is null and round is null and not :draws::boolean as needs_round
    from asked
),
keyed as (
    insert into ${schema}.idempotency (namespace, key, id)
    select item.namespace, item.key, item.id
    from item
    where item.key is not null and not item.needs_round and not exists (select from ${schema}.execution e where e.id = item.id)
    order by item.n
    on conflict do nothing
    returning id
),
drawn as materialized (
    -- in one value, where they are looked up: a join would compare each item with each
    select jsonb_object_agg(drawn.id, drawn.round) as rounds
    from (
        select
            array_agg(item.id order by item.n) as ids, array_agg(item.lane order by item.n) as lanes,
            array_agg(item.priority order by item.n) as priorities, array_agg(coalesce(item.share, '') order by item.n) as keys
        from item
        where item.turns and item.round is null and not item.needs_round
            and (item.key is null or item.id in (select id from keyed))
            and not exists (select from ${schema}.execution e where e.id = item.id)
        having count(*) > 0
    ) as asked
    cross join lateral ${schema}.draw_rounds(asked.ids, asked.lanes, asked.priorities, asked.keys, false) as drawn
),
accepted as (
    insert into ${schema}.execution (
        id, part, seq, lane, gate, policy, priority, rank, share,
        situation, next, until, delayed_by, detail, deadline, submitted, changed,
        creator, key, tags, start_due, deadline_due, reserve, input_type, input, digest, flow)
    select
        id, part, seq, lane, gate, policy, priority,
        ${schema}.place_of(priority, now, ageing, sharing) + case when turns
            then coalesce(round, ((select rounds from drawn) ->> id::text)::bigint, 0) else 0 end, share,
        -- what waits for others keeps its delay behind that
        (case when waits is not null then 'awaiting_children' when start > now then 'delayed' else 'ready' end)::${schema}.situation,
        'first',
        case when start > now then start end,
        case when start > now then 'request'::${schema}.delayed_by end,
        waits, deadline, now, now,
        creator, key, string_to_array(nullif(tags, ''), E'\x1f'), start_due, deadline_due, reserve::bigint[],
        content_type, case when octet_length(input) <= :inline::integer then input end, digest, flow
    from item
    where not item.needs_round and (item.key is null or item.id in (select id from keyed))
    order by item.n
    on conflict (id) do nothing
    returning id, part, lane, gate, rank, share, reserve, seq, situation, until, deadline, submitted
),
stored as (
    insert into ${schema}.payload (id, produced, bytes)
    select item.id, false, item.input
    from item
    -- by hash: the planner, which expects a handful, would compare each item with each
    where octet_length(item.input) > :inline::integer and (item.id in (select id from accepted)) is true
),
tagged as (
    insert into ${schema}.tag (lane, word, submitted, seq, id)
    select item.lane, word, item.now, item.seq, item.id
    from item
    cross join lateral unnest(string_to_array(item.tags, E'\x1f')) as word
    where item.tags <> '' and (item.id in (select id from accepted)) is true
),
queued as (
    insert into ${schema}.ready (lane, gate, rank, fresh, seq, id, deadline, submitted, begins_attempt, share, reserve)
    select
        lane, gate, rank, true, seq, id, deadline, submitted, true,
        case when (lane in (select lane from item where turns)) is true then coalesce(share, '') end, reserve
    from accepted where situation = 'ready'
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id)
    select lane, situation, submitted, seq, id from accepted where situation <> 'ready'
),
timed as (
    insert into ${schema}.timer (id, kind, due)
    select id, 'wake'::${schema}.timer_kind, until from accepted where situation = 'delayed'
    union all
    select id, 'deadline', deadline from accepted where deadline is not null
),
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, until)
    select submitted, id, part, lane, 'submit', situation, 0, 0, case when situation = 'delayed' then until end from accepted order by seq
)
select id, lane, seq, situation = 'ready' as ready, 'accepted' as word from accepted
union all
-- keys that were taken for nothing, because the id was taken at the same moment
select id, null, null, false, 'keyed in vain' from keyed where id not in (select id from accepted)
union all
select id, lane, null, false, 'needs_round' from item where needs_round

-- name: draw_rounds
-- Beforehand, for a transaction that is open for who knows how long: what it queues nobody sees until then.
select id, round
from ${schema}.draw_rounds(:ids::uuid[], :lanes::integer[], :priorities::smallint[], :keys::text[], true)

-- name: known
-- Who is there already, by id or by key, and with which content; and whether it has ended.
select e.id, e.part, e.digest, null::text as namespace, null::text as key, ${>has_ended} as ended
from ${schema}.execution e
where e.id = any(:ids::uuid[])
union all
select e.id, e.part, e.digest, i.namespace, i.key, ${>has_ended} as ended
from ${schema}.idempotency i
join ${schema}.execution e using (id)
where (i.namespace, i.key) in (select * from unnest(:namespaces::text[], :keys::text[]))

-- name: forget_keys
-- Gives back keys that were taken for submissions which then were refused because of their id.
delete from ${schema}.idempotency i
using unnest(:namespaces::text[], :keys::text[], :ids::uuid[]) as taken (namespace, key, id)
where i.namespace = taken.namespace and i.key = taken.key and i.id = taken.id

-- name: free_ended_keys
-- Lets go of keys that the next submission takes over, as long as the execution that has one has ended. Who races for one waits
-- here for the other, and then finds the key with new work.
with freed as (
    select i.namespace, i.key
    from unnest(:namespaces::text[], :keys::text[]) as wanted (namespace, key)
    join ${schema}.idempotency i using (namespace, key)
    join ${schema}.execution e on e.id = i.id
    where ${>has_ended}
    order by i.namespace, i.key
    for update of i
)
delete from ${schema}.idempotency i
using freed
where i.namespace = freed.namespace and i.key = freed.key
returning i.namespace, i.key, i.id

-- name: keep_freed_keys
-- Gives keys back to the executions that had them, where what was to take them over was refused.
insert into ${schema}.idempotency (namespace, key, id)
select * from unnest(:namespaces::text[], :keys::text[], :ids::uuid[])
on conflict do nothing

-- fragment: has_ended
e.situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped')
