-- name: claim
-- Claims from one lane whose work counts against nothing, takes no turns, and cannot time out. Where it meets anything else
-- it takes nothing and says so: then claim_counted does it, or claim_any.
with ${>clock},
${>claimer},
${>serving},
visible as materialized (
    select
        claimer.lane, gate.id as gate, claimer.now, lane_gate.meters <> '{}' as counts,
        claimer.sharing or lane_gate.meters <> '{}' or gate.timed or gate.compares as intricate
    from serving as claimer
    join ${schema}.lane_gate on lane_gate.lane = claimer.lane
    join ${schema}.gate on gate.id = lane_gate.gate
    where not claimer.crowd and ${>fitting}
),
sight as materialized (
    select
        ${>not_one_lane}
        or (select coalesce(bool_or(crowd), false) from serving)
        or (select coalesce(bool_or(intricate), false) from visible) as intricate,
        -- of a lane with that many gates it is not asked
        (select coalesce(bool_or(crowd), false) from serving)
        or (select coalesce(bool_or(counts), false) from visible) as counts
),
head as materialized (
    select entry.place, entry.id
    from visible
    ${>stretches}
    cross join lateral (
        select r.ctid as place, r.rank, r.fresh, r.seq, r.id
        from ${schema}.ready r
        where r.lane = visible.lane and r.gate = visible.gate
            and ${>in_stretch}
            and (r.deadline is null or r.deadline > visible.now)
        order by r.rank, r.fresh, r.seq
        limit :window::integer
    ) as entry
    where not (select intricate from sight)
    order by entry.rank, entry.fresh, entry.seq
    limit :window::integer
),
taken as materialized (
    ${>lock_heads}
),
unqueued as (
    delete from ${schema}.ready r where r.ctid = any(array(select place from taken))
),
leased as (
    update ${schema}.execution e
    set ${>running_now}
    from clock
    where e.id = any(array(select id from taken))
    returning ${>leased_columns}
),
${>receipted},
${>claims_recorded}
-- A row at least: whether the session may claim under this number, and how many were in sight.
select
    sight.intricate, sight.counts, sight.may_claim, sight.candidates,
    ${>lease_columns}, e.rank, e.seq, e.next = 'first' as fresh
from (
    select intricate, counts, exists (select from claimer) as may_claim, (select count(*) from head) as candidates from sight
) as sight
left join leased e on true
order by e.rank, fresh, e.seq

-- name: claim_counted
-- Claims from one lane as claim does, where work counts against quotas that bound no more than how much of it runs at once.
-- Of a crowded lane it looks behind the gates that the process names, up to the first entry behind another.
with ${>clock},
${>claimer},
${>serving},
visible as materialized (
    select
        claimer.lane, gate.id as gate, lane_gate.meters, claimer.now, claimer.sharing or gate.timed or gate.compares as intricate
    from serving as claimer
    cross join lateral (
        select g.gate, g.meters from ${schema}.lane_gate g where g.lane = claimer.lane and not claimer.crowd
        union all
        select g.gate, g.meters
        from ${schema}.lane_gate g
        where g.lane = claimer.lane and claimer.crowd and g.gate = any(:front_gates::integer[])
    ) as lane_gate
    cross join lateral (${>gate_of_lane}) as gate
    where ${>fitting}
),
place as materialized (
    -- as far as one can see without a lock; null: as many as there are
    select m.*
    from (select distinct unnest(meters) as id from visible) as asked
    cross join lateral (
        select m.id, m.concurrency_limit - m.running as left, m.budget is not null or m.rate is not null as intricate
        ${>newest_meter}
    ) as m
),
sight as materialized (
    -- The places left are looked up in arrays: a join would compare each gate with each meter.
    select
        ${>not_one_lane}
        or (:front_gates::integer[] = '{}' and (select coalesce(bool_or(crowd), false) from serving))
        or (select coalesce(bool_or(intricate), false) from visible)
        or coalesce(bool_or(place.intricate), false) as intricate,
        coalesce(bool_or(place.left < :window::integer), false) as scarce,
        array_agg(place.id) as meters, array_agg(place.left) as lefts
    from place
),
room as materialized (
    -- how many places there are behind each gate, where they are scarce
    select
        visible.*,
        case when sight.scarce then (
            select min(sight.lefts[array_position(sight.meters, asked.id)]) from unnest(visible.meters) as asked (id)) end as places
    from visible
    cross join sight
    where not sight.intricate
),
stretch as (
    -- What is behind each gate, and not so far where many have something.
    select
        visible.*, n, least(:window::integer, visible.places) as most,
        least(:window::integer, visible.places, 2 + 3 * :window::integer / :busy::integer) as reach
    from room as visible
    ${>stretches}
    where visible.places is null or visible.places > 0
),
candidate as materialized (
    select
        stretch.gate, stretch.meters, entry.*,
        -- the last of those that are looked at, if there may be more behind it
        stretch.reach < stretch.most and entry.nth = stretch.reach as edge,
        entry.nth <= stretch.reach
            and (entry.rank, entry.fresh, entry.seq) < (:limit_rank::bigint, :limit_fresh::boolean, :limit_seq::bigint) as takable
    from stretch
    cross join lateral (
        select r.ctid as place, r.rank, r.fresh, r.seq, r.id, row_number() over (order by r.rank, r.fresh, r.seq) as nth
        from ${schema}.ready r
        where r.lane = stretch.lane and r.gate = stretch.gate
            and ${>in_stretch}
            and (r.deadline is null or r.deadline > stretch.now)
        order by r.rank, r.fresh, r.seq
        -- of a crowded lane one more, to know where work behind the gate begins once the rest is taken
        limit stretch.reach + (case when :front_gates::integer[] = '{}' then 0 else 1 end)
    ) as entry
),
queue as materialized (
    -- What comes after the last behind one gate is not in order: what is still behind that gate may be ahead of it.
    select place, id, rank, fresh, seq, meters
    from candidate
    where takable and (
        not exists (select from candidate where edge)
        or (rank, fresh, seq) <= (select rank, fresh, seq from candidate where edge order by rank, fresh, seq limit 1))
    order by rank, fresh, seq
    limit :window::integer
),
over as (
    -- those for which no place would be left once the ones before them have theirs
    with line as (select * from queue), free as not materialized (select * from sight)
    ${>without_place}
),
head as materialized (
    select * from queue where place <> all(array(select place from over)) order by rank, fresh, seq
),
taken as materialized (
    ${>lock_heads}
),
meter as (
    -- From here on no other claim counts against these, and what they say is so.
    select m.*
    from (select distinct unnest(meters) as id from taken order by id) as asked
    cross join lateral (
        select m.id, case when m.budget is null and m.rate is null then m.concurrency_limit - m.running else 0 end as left
        ${>newest_meter}
        for update
    ) as m
),
locked as materialized (
    select
        coalesce(bool_or(meter.left < :max::integer), false) as scarce, array_agg(meter.id) as meters, array_agg(meter.left) as lefts
    from meter
),
late as (
    -- those whose places others have taken meanwhile
    with line as (select * from taken), free as not materialized (select * from locked)
    ${>without_place}
),
given as materialized (
    select taken.place, taken.id, taken.meters from taken where taken.place <> all(array(select place from late))
),
unqueued as (
    delete from ${schema}.ready r where r.ctid = any(array(select place from given))
),
leased as (
    update ${schema}.execution e
    set ${>running_now},
        counted_meters = nullif(given.meters, '{}'),
        reserved_amounts = case when given.meters <> '{}' then array_fill(0::bigint, array[cardinality(given.meters)]) end
    from clock, given
    where e.id = given.id
    returning ${>leased_columns}
),
counted as materialized (
    -- one row, and read at the end: a look that nobody reads is not made
    select count(${schema}.count_in(started.id, started.places, 0, null, null)) as meters
    from (
        select asked.id, count(*)::integer as places from given cross join unnest(given.meters) as asked (id) group by asked.id
    ) as started
),
front as (
    -- where work behind the gates of a crowded lane begins from now on
    select distinct on (gate) gate, rank, fresh, seq
    from candidate
    where :front_gates::integer[] <> '{}' and place <> all(array(select place from given))
    order by gate, rank, fresh, seq
),
${>receipted},
${>claims_recorded}
-- A row at least: whether the session may claim under this number, how many were in sight behind how many gates, and whether
-- places were wanting.
select
    sight.*, ${>lease_columns}, e.rank, e.seq, e.next = 'first' as fresh
from (
    select
        intricate, exists (select from claimer) as may_claim, coalesce((select min(lane) from serving), 0) as serving,
        (select count(distinct gate) from candidate) as busy,
        -- where not everything was looked at, as many as there could be
        greatest(
            (select count(*) from candidate where takable),
            case when exists (select from candidate where edge) then :window::integer end) as candidates,
        exists (select from over) or exists (select from late) as refused,
        case when :front_gates::integer[] <> '{}' then array(select distinct gate from stretch) else '{}' end as seen_gates,
        array(select gate from front) as front_gates, array(select rank from front) as front_ranks,
        array(select fresh::integer from front) as front_freshs, array(select seq from front) as front_seqs,
        array(select gate from room where places <= 0 and :front_gates::integer[] <> '{}' order by gate) as full_gates,
        array(select meters::text from room where places <= 0 and :front_gates::integer[] <> '{}' order by gate) as full_meters,
        case when scarce and exists (
            select
            from (select * from room where places <= 0 limit :shut_gates::integer) as behind
            join ${schema}.ready r on r.lane = behind.lane and r.gate = behind.gate
            where r.deadline is null or r.deadline > behind.now
        ) then '{concurrency}'::text[] else '{}' end as shut
    from sight
    cross join counted
) as sight
left join leased e on true
order by e.rank, fresh, e.seq

-- fragment: newest_meter
-- The row of a meter that was asked for. Of a row that changes all the time all versions are kept while a snapshot is held, so it
-- is looked for from the newest ones on.
from ${schema}.meter m where m.slot = asked.id order by m.moves desc limit 1

-- fragment: changed_meter
-- Every frequent change of a meter is counted, so that no more than 256 versions lie under one number; those of recounts and of
-- windows that open are few.
changes = (m.changes + 1) % 256, moves = m.moves + (m.changes + 1) / 256

-- fragment: without_place
-- Of a line of entries those for which too few places are free. Where places are not scarce nobody is counted.
select ahead.place
    from (
        select line.place, asked.id, count(*) over (partition by asked.id order by line.rank, line.fresh, line.seq) as nth
        from line
        cross join unnest(line.meters) as asked (id)
        where (select scarce from free)
    ) as ahead
    cross join free
    where ahead.nth > free.lefts[array_position(free.meters, ahead.id)]

-- name: await_claim
-- Waits until no call under this number is under way.
select pg_advisory_xact_lock(hashtextextended(:session::text, :number::bigint))

-- fragment: claimer
under_way as materialized (
    -- A call that repeats this one waits until it is over.
    select pg_advisory_xact_lock_shared(hashtextextended(:session::text, :number::bigint))
),
claimer as (
    select s.id, s.namespace, s.lanes, s.kinds, s.offers, clock.now
    from under_way
    cross join clock
    cross join ${schema}.session s
    where s.id = :session::uuid and not s.dead and s.alive_until > clock.now and :number::bigint > s.acknowledged
        -- a number that was heard before gives nothing new
        and (select r.number from ${schema}.receipt r where r.session = s.id and r.number = :number::bigint) is null
    for key share of s
)

-- fragment: serving
serving as materialized (
    select
        claimer.*, lane.id as lane, lane.sharing,
        exists (select from ${schema}.lane_gate g where g.lane = lane.id offset :most_gates::integer) as crowd
    from claimer
    join ${schema}.lane on lane.namespace = claimer.namespace and lane.name = any(claimer.lanes)
        and lane.state in ('active', 'draining')
)

-- fragment: gate_of_lane
-- One by one: the planner, which expects a handful, would otherwise read all that the lane has for each gate.
select g.* from ${schema}.gate g where g.id = lane_gate.gate offset 0

-- fragment: fitting
(gate.compares or gate.needs <@ claimer.offers) and (claimer.kinds = '{}' or gate.kind = any(claimer.kinds)) and ${>readable}

-- fragment: readable
-- Raised with what this program is able to read; the rest is left to newer ones.
gate.format <= 1

-- fragment: not_one_lane
(select coalesce(min(lane) < max(lane), false) from serving)

-- fragment: stretches
-- Beside what is known to have been taken, or everywhere: the number of the stretch to look in.
    left join lateral unnest(array_positions(:stretch_gates::integer[], visible.gate)) as n
        on (:stretch_lanes::integer[])[n] = visible.lane

-- fragment: in_stretch
(r.rank, r.fresh, r.seq) > (
                coalesce((:from_ranks::bigint[])[n], -9223372036854775807),
                coalesce((:from_freshs::boolean[])[n], false),
                coalesce((:from_seqs::bigint[])[n], 0))
            and (r.rank, r.fresh) < (coalesce((:to_ranks::bigint[])[n], 9223372036854775807), true)

-- fragment: running_now
        situation = 'running',
        attempts = e.attempts + (case when e.next in ('first', 'retry', 'replay') then 1 else 0 end),
        epoch = greatest(e.epoch + 1, clock.now, e.changed),
        session = :session::uuid,
        since = greatest(clock.now, e.changed),
        changed = greatest(clock.now, e.changed),
        progress_percent = case when e.next in ('continue', 'reclaim') then e.progress_percent end,
        progress_message = case when e.next in ('continue', 'reclaim') then e.progress_message end,
        progress_at = case when e.next in ('continue', 'reclaim') then e.progress_at end

-- fragment: leased_columns
        e.id, e.part, e.lane, e.gate, e.policy, e.next, e.attempts, e.epoch, e.retries, e.deadline, e.since, e.share, e.rank, e.seq,
        e.first_priority, e.priority, e.start_due, e.deadline_due, e.reserve, e.input_type, e.input, e.tags, e.step_bytes, e.flow

-- fragment: receipted
receipted as (
    -- Where another call has just claimed under this number, its key is taken, and nothing comes of this one.
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, :number::bigint, array_agg(id), array_agg(epoch)
    from (select id, epoch from leased order by rank, next = 'first', seq) as given
    having count(*) > 0
)

-- fragment: claims_recorded
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select
        since, id, part, lane, (case when next = 'reclaim' then 'reclaim' else 'claim' end)::${schema}.transition,
        'running', attempts, epoch, :session::uuid
    from leased
)

-- fragment: lock_heads
    -- In their order, one after the other, and no further than necessary. The entry is found by its place: one that is gone is
    -- passed over, as is what another has locked.
    select head.*
    from head
    cross join lateral (
        select from ${schema}.ready r where r.ctid = head.place for update skip locked
    ) as entry
    cross join lateral (
        select from ${schema}.execution e where e.id = head.id and e.situation = 'ready' for update skip locked
    ) as execution
    limit :max::integer

-- fragment: lease_columns
-- What a lease says, of an execution e. Large inputs are read when the statement is over: as long as it sends rows it holds
-- its locks, and a process that is frozen reads none. Up to 4096 bytes they come along: ordinary inputs then cost no second
-- statement, and the largest claim, of 256, sends a megabyte of them.
    e.id, e.part, e.lane, e.gate, e.policy, e.next, e.attempts, e.epoch, e.retries, e.deadline, e.since, e.share, e.step_bytes, e.flow,
    ${>asked_columns},
    coalesce(e.input_type, 'application/octet-stream') as content_type,
    case when e.input is null and e.id is not null
        then (select p.bytes from ${schema}.payload p where p.id = e.id and not p.produced and octet_length(p.bytes) <= 4096)
        else e.input end as input,
    case when e.input is null and e.id is not null
        then (select octet_length(p.bytes) from ${schema}.payload p where p.id = e.id and not p.produced) end as input_size,
    coalesce(e.tags, '{}') as tags

-- fragment: asked_columns
    coalesce(e.first_priority, e.priority) as first_priority, coalesce(e.start_due, 'after 0') as start_due, e.deadline_due, e.reserve

-- fragment: affordable
-- Behind a gate g with different amounts, the most of each reservation that its meters have left. What reserves more is passed over.
case when g.varies then ${>amounts_left} end

-- fragment: amounts_left
-- The most of each reservation of a gate g that its meters have left, as far as one can see without a lock; null where nothing bounds it.
array(
            select min(m.enforced_limit - m.used - m.reserved)
            from generate_subscripts(g.smallest, 1) as pair (nth)
            join unnest(g.lead_from, g.lead_to) as lead (pair, meter) on lead.pair = pair.nth
            cross join lateral (select g.meters[lead.meter] as id) as asked
            cross join lateral (select m.* ${>newest_meter}) as m
            group by pair.nth
            order by pair.nth)

-- fragment: fits
-- Whether an entry r reserves no more than is affordable: thousands may be asked, and most of them have one reservation.
(affordable is null or (
                coalesce(r.reserve[1] <= affordable[1], true)
                and (cardinality(affordable) = 1 or not exists (
                    select from unnest(r.reserve, affordable) as pair (amount, most) where pair.amount > pair.most))))

-- name: claim_any
-- Chooses per lane and gate in index order, merges by the turns of the lanes, and locks only what it
-- takes; what another has locked it passes over. With a time to live it gives out grants instead of leases.
with ${>clock},
${>claimer},
serving as materialized (
    -- A lane is crowded when it has more gates than a claim can look behind: then the process names those to look behind, and
    -- where it has not, it is told, and nothing is taken yet.
    select
        claimer.*, lane.id as lane, lane.weight, array_position(:crowded::integer[], lane.id) as nth,
        lane.id <> all(:crowded::integer[]) and exists (
            select from ${schema}.lane_gate g where g.lane = lane.id offset :most_gates::integer) as crowd
    from claimer
    join ${schema}.lane on lane.namespace = claimer.namespace and lane.name = any(claimer.lanes)
        and lane.state in ('active', 'draining')
),
visible as (
    -- Gates with comparisons among their needs were judged by the process, if it knows of them.
    select
        claimer.lane, claimer.weight, claimer.nth, gate.id as gate, lane_gate.meters, lane_gate.costs, lane_gate.affordable, claimer.now,
        coalesce(
            (:pass_starts::double precision[])[array_position(:pass_lanes::integer[], claimer.lane)], :pass::double precision) as start,
        gate.compares and gate.id <> all(:fitting::integer[]) as to_match,
        -- How much may be taken behind it as far as one can see without a lock, if all of it reserves as little as any work behind
        -- it ever did; null: as much as there is.
        case when lane_gate.meters <> '{}' then (
            select min(least(
                m.concurrency_limit - m.running,
                m.rate - (
                    select coalesce(sum(w.n), 0) from unnest(m.window_starts, m.window_counts) as w (at, n) where w.at > claimer.now - m.window_ms),
                case
                    when m.enforced_limit is null then null
                    when m.used >= m.enforced_limit or m.used + m.reserved > m.enforced_limit then 0
                    when asked.cost > 0 then greatest(0, (m.enforced_limit - m.used - m.reserved) / asked.cost) end))
            from unnest(lane_gate.meters, lane_gate.costs) as asked (id, cost)
            cross join lateral (select m.* ${>newest_meter}) as m) end as room
    from serving as claimer
    cross join lateral (
        select g.gate, g.meters, g.costs, ${>affordable} as affordable
        from ${schema}.lane_gate g
        where claimer.nth is null and not claimer.crowd and g.lane = claimer.lane
        union all
        select g.gate, g.meters, g.costs, ${>affordable}
        from unnest(:front_lanes::integer[], :front_gates::integer[]) as front (lane, gate)
        join ${schema}.lane_gate g on g.lane = front.lane and g.gate = front.gate
        where front.lane = claimer.lane
    ) as lane_gate
    cross join lateral (${>gate_of_lane}) as gate
    where (case when gate.compares then gate.id <> all(:unfitting::integer[]) else gate.needs <@ claimer.offers end)
        and (cardinality(claimer.kinds) = 0 or gate.kind = any(claimer.kinds)) and ${>readable}
),
-- Where to look: everywhere, or beside what is known to have been taken. The place in the arrays is looked up: a join
-- would compare each gate with each stretch.
stretch as (
    select
        visible.lane, visible.weight, visible.start, visible.gate, visible.meters, visible.costs, visible.affordable, visible.room, visible.now,
        coalesce((:from_ranks::bigint[])[n], -9223372036854775807) as from_rank,
        coalesce((:from_freshs::boolean[])[n], false) as from_fresh,
        coalesce((:from_seqs::bigint[])[n], 0) as from_seq,
        coalesce((:to_ranks::bigint[])[n], 9223372036854775807) as to_rank,
        -- the first entry of a crowded lane behind a gate that was not named: nothing from there on is in order
        coalesce((:limit_ranks::bigint[])[visible.nth], 9223372036854775807) as limit_rank,
        coalesce((:limit_freshs::boolean[])[visible.nth], true) as limit_fresh,
        coalesce((:limit_seqs::bigint[])[visible.nth], 9223372036854775807) as limit_seq
    from visible
    ${>stretches}
    -- What is not judged may be ahead of everything else: then nothing is taken yet.
    where not exists (select from visible where to_match) and not exists (select from serving where crowd) and (visible.room is null or visible.room > 0)
),
busy as (
    -- Where there is anything at all, and how far to look there: with many gates, not so far into each.
    select
        stretch.*,
        least(:window::integer, stretch.places) as most,
        least(:window::integer, stretch.places, case when count(*) over lane > 1
            then 2 + 3 * :window::integer / count(*) over lane end) as reach
    from (
        -- Where reservations differ, the first that fit may leave no room to the next ones, and room to those behind them.
        select *, case when affordable is null then room end as places from stretch
    ) as stretch
    cross join lateral (
        select from ${schema}.ready r
        where r.lane = stretch.lane and r.gate = stretch.gate
            and (r.rank, r.fresh, r.seq) > (stretch.from_rank, stretch.from_fresh, stretch.from_seq)
            and (r.rank, r.fresh) < (stretch.to_rank, true)
            and (r.rank, r.fresh, r.seq) < (stretch.limit_rank, stretch.limit_fresh, stretch.limit_seq)
            and (r.deadline is null or r.deadline > stretch.now)
        order by r.rank, r.fresh, r.seq
        limit 1
    ) as anything
    window lane as (partition by stretch.lane)
),
candidate as (
    select
        busy.lane, busy.weight, busy.start, busy.gate, busy.meters, busy.costs, busy.affordable, head.*,
        -- the last of those that are looked at, if there may be more behind it
        busy.reach < busy.most and head.nth = busy.reach as edge
    from busy
    cross join lateral (
        select r.place, r.rank, r.fresh, r.seq, r.id, r.begins_attempt, r.reserve, row_number() over (order by r.rank, r.fresh, r.seq) as nth
        from (
            select r.ctid as place, r.rank, r.fresh, r.seq, r.id, r.begins_attempt, r.reserve
            from ${schema}.ready r
            where r.lane = busy.lane and r.gate = busy.gate
                and (r.rank, r.fresh, r.seq) > (busy.from_rank, busy.from_fresh, busy.from_seq)
                and (r.rank, r.fresh) < (busy.to_rank, true)
                and (r.rank, r.fresh, r.seq) < (busy.limit_rank, busy.limit_fresh, busy.limit_seq)
                and (r.deadline is null or r.deadline > busy.now)
            order by r.rank, r.fresh, r.seq
            limit case when busy.affordable is null then busy.reach else :widest::integer end
        ) as r
        where ${>fits}
        order by r.rank, r.fresh, r.seq
        limit busy.reach
    ) head
),
turn as (
    -- What comes after the last behind one gate is not in order: what is still behind that gate may be ahead of it.
    select
        queue.lane, queue.weight, queue.gate, queue.meters, queue.place, queue.rank, queue.fresh, queue.seq, queue.id,
        queue.begins_attempt, queue.turn,
        queue.affordable is not null as varies,
        case when queue.affordable is null then queue.costs else (
            select ${schema}.costs_of(queue.reserve, g.floors, g.lead_from, g.lead_to, cardinality(g.meters))
            from ${schema}.lane_gate g
            where g.lane = queue.lane and g.gate = queue.gate) end as costs
    from (
        select
            c.*,
            c.start + (row_number() over ahead - 1) / c.weight::double precision as turn,
            coalesce(bool_or(c.edge) over (ahead rows between unbounded preceding and 1 preceding), false) as beyond
        from candidate as c
        window ahead as (partition by c.lane order by c.rank, c.fresh, c.seq)
    ) as queue
    where not beyond
    order by turn, lane, rank, fresh, seq
    limit :window::integer
),
meter as (
    -- From here on nobody else counts against these, and what they say is so.
    select
        m.id, m.rate, m.used >= m.enforced_limit or m.used + m.reserved > m.enforced_limit as spent,
        coalesce(m.enforced_limit - m.used - m.reserved, 9223372036854775807) as rest,
        coalesce(m.concurrency_limit - m.running, 2147483647) as places,
        coalesce(m.rate - (
            select coalesce(sum(w.n), 0) from unnest(m.window_starts, m.window_counts) as w (at, n) where w.at > clock.now - m.window_ms), 2147483647) as begins
    from clock
    cross join (select distinct unnest(meters) as id from turn where meters <> '{}' order by id) as asked
    cross join lateral (select m.* ${>newest_meter} for update) as m
),
begun as materialized (
    -- When it begins to count. Where windows are looked at that is after the lock, so that starts have an order: whoever waited
    -- for another begins after that one, and nothing was forgotten meanwhile that would still count.
    select greatest(
        (select now from clock),
        case when (select count(rate) from meter) > 0
            then coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) end) as now
),
open as (
    -- What is full now is out of the way before the rest is counted: so whoever is first behind a quota gets in.
    select turn.*
    from turn
    where turn.meters = '{}' or (
        not turn.meters && array(select id from meter where places <= 0 or begins <= 0 or spent)
        and (0 = all(turn.costs) or not exists (
            select from unnest(turn.meters, turn.costs) as asked (id, cost)
            join meter on meter.id = asked.id
            where asked.cost > meter.rest)))
),
over as (
    select queue.place
    from (
        select
            open.place, meter.places as free, meter.begins as free_begins,
            ${schema}.take_what_fits(asked.cost, meter.rest) filter (where meter.rest < 9223372036854775807) over ahead as fits,
            count(*) over ahead as places, count(*) filter (where open.begins_attempt) over ahead as begins
        from open
        cross join unnest(open.meters, open.costs) as asked (slot, cost)
        -- only those that this claim could fill: most of the time there is none
        join meter on meter.id = asked.slot
            and (meter.places < :window::integer or meter.begins < :window::integer or meter.rest < 9223372036854775807)
        where open.meters <> '{}'
        window ahead as (partition by asked.slot order by open.turn, open.lane, open.rank, open.fresh, open.seq)
    ) as queue
    where queue.places > queue.free or queue.begins > queue.free_begins or queue.fits[2] = 0
),
head as materialized (
    select place, id, rank, fresh, turn, weight, meters, costs, varies
    from open where place <> all(array(select place from over)) order by turn, lane, rank, fresh, seq
),
taken as materialized (
    ${>lock_heads}
),
unqueued as (
    delete from ${schema}.ready r where r.ctid = any(array(select place from taken))
),
leased as (
    update ${schema}.execution e
    set ${>leased_or_granted},
        epoch = greatest(e.epoch + 1, (select now from begun), e.changed),
        since = greatest((select now from begun), e.changed),
        until = (select now from begun) + :ttl::bigint,
        counted_meters = nullif(taken.meters, '{}'),
        reserved_amounts = nullif(taken.costs, '{}'),
        changed = greatest((select now from begun), e.changed)
    from taken
    where e.id = taken.id
    returning e.*, taken.fresh, taken.turn, taken.weight, taken.varies
),
reached as (
    -- How far the rounds have come, where keys share. A claim that is just noting the same is not waited for. What was queued before
    -- keys shared has no round: in its place stands a moment in milliseconds, or a priority below zero, and both are beyond 2^40,
    -- the former since 2004. No round comes that far.
    update ${schema}.round r
    set reached = furthest.round
    from (
        select lane, -(rank >> 48) as priority, max(rank & 281474976710655) as round
        from leased where fresh and (rank & 281474976710655) < 1099511627776
        group by lane, rank >> 48
    ) as furthest
    cross join lateral (
        select from ${schema}.round free
        where free.lane = furthest.lane and free.priority = furthest.priority
        for update skip locked
    ) as free
    where r.lane = furthest.lane and r.priority = furthest.priority and r.reached < furthest.round
),
counted as materialized (
    -- The rows are locked, so what they say is what was looked at. One row, and read at the end.
    select count(${schema}.count_in(given.slot, given.places, given.reserved, given.begins, (select now from begun))) as meters
    from (
        select
            asked.slot, count(*)::integer as places, sum(asked.cost)::bigint as reserved,
            (count(*) filter (where leased.next in ('first', 'retry', 'replay')))::integer as begins
        from leased
        cross join unnest(leased.counted_meters, leased.reserved_amounts) as asked (slot, cost)
        where leased.counted_meters is not null
        group by asked.slot
    ) as given
),
receipted as (
    -- Where another call has just claimed under this number, its key is taken, and nothing comes of this one.
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, :number::bigint, array_agg(id order by turn, lane), array_agg(epoch order by turn, lane)
    from leased
    having count(*) > 0
),
${>leases_timed},
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session, until)
    select
        since, id, part, lane,
        (case when :ttl::bigint is not null then 'grant' when next = 'reclaim' then 'reclaim' else 'claim' end)::${schema}.transition,
        situation, attempts, epoch, :session::uuid, until
    from leased
)
-- A row at least: whether the session may claim under this number, how many were in sight, and what is to be judged first.
select
    ${>lease_columns}, e.until, e.rank, e.fresh, e.seq, e.turn, e.weight, e.varies,
    sight.candidates, sight.may_claim, sight.to_match, sight.offers, sight.shut, sight.crowd, sight.refused, sight.counts, sight.seen_gates, sight.seen_lanes,
    sight.full_gates, sight.full_lanes, sight.full_meters
from (
    select
        -- where not everything was looked at, as many as there could be
        greatest(
            (select count(*) from candidate),
            case when exists (select from candidate where edge) then :window::integer end) as candidates,
        exists (select from claimer) as may_claim,
        array(select lane from serving where crowd) as crowd,
        exists (select from over) as refused,
        exists (select from visible where meters <> '{}') as counts,
        array(select gate from visible where nth is not null order by lane, gate) as seen_gates,
        array(select lane from visible where nth is not null order by lane, gate) as seen_lanes,
        array(select gate from visible where nth is not null and room <= 0 order by lane, gate) as full_gates,
        array(select lane from visible where nth is not null and room <= 0 order by lane, gate) as full_lanes,
        array(select meters::text from visible where nth is not null and room <= 0 order by lane, gate) as full_meters,
        array(select distinct gate from visible where to_match) as to_match,
        (select offers from claimer where exists (select from visible where to_match)) as offers,
        -- Why nothing is taken behind some gates where something waits: few of them are asked, however many there are.
        array(
            select distinct why
            from (select * from visible where room <= 0 limit :shut_gates::integer) as behind
            cross join unnest(behind.meters, behind.costs) as asked (id, cost)
            cross join lateral (select m.* ${>newest_meter}) as m
            cross join lateral unnest(array[
                case when m.running >= m.concurrency_limit then 'concurrency' end,
                case when m.rate <= (
                    select coalesce(sum(w.n), 0) from unnest(m.window_starts, m.window_counts) as w (at, n) where w.at > behind.now - m.window_ms) then 'rate' end,
                case when m.used >= m.enforced_limit or asked.cost > m.enforced_limit - m.used - m.reserved then 'budget ' || m.key end]) as why
            where why is not null and exists (
                select from ${schema}.ready r
                where r.lane = behind.lane and r.gate = behind.gate and (r.deadline is null or r.deadline > behind.now))
            union
            -- What is passed over behind gates where something else fits.
            select 'budget ' || m.key
            from (select * from visible where room > 0 and affordable is not null limit :shut_gates::integer) as behind
            cross join lateral (
                select r.reserve
                from ${schema}.ready r
                where r.lane = behind.lane and r.gate = behind.gate and (r.deadline is null or r.deadline > behind.now)
                order by r.rank, r.fresh, r.seq
                limit :window::integer
            ) as entry
            cross join unnest(entry.reserve, behind.affordable) with ordinality as pair (amount, most, nth)
            join ${schema}.lane_gate g on g.lane = behind.lane and g.gate = behind.gate
            cross join lateral (select g.meters[g.lead_to[array_position(g.lead_from, pair.nth::integer)]] as id) as asked
            cross join lateral (select m.* ${>newest_meter}) as m
            where pair.amount > pair.most
        ) as shut
    from counted
) as sight
left join leased e on true
order by e.turn, e.lane

-- fragment: leased_or_granted
-- With a time to live it is granted: then no attempt begins yet.
        situation = (case when :ttl::bigint is null then 'running' else 'granted' end)::${schema}.situation,
        attempts = e.attempts + (case when :ttl::bigint is null and e.next in ('first', 'retry', 'replay') then 1 else 0 end),
        session = :session::uuid,
        progress_percent = case when :ttl::bigint is not null or e.next in ('continue', 'reclaim') then e.progress_percent end,
        progress_message = case when :ttl::bigint is not null or e.next in ('continue', 'reclaim') then e.progress_message end,
        progress_at = case when :ttl::bigint is not null or e.next in ('continue', 'reclaim') then e.progress_at end

-- fragment: lease_timers
select leased.id, timeout.kind, leased.since + timeout.after
    from leased
    join ${schema}.policy on policy.id = leased.policy
    cross join lateral (values
        ('attempt'::${schema}.timer_kind, policy.attempt_timeout), ('stall', policy.stall_timeout)) as timeout (kind, after)
    where timeout.after is not null

-- fragment: leases_timed
-- The timers of what was leased or granted; a grant runs nothing yet, and is listed as such.
timed as (
    insert into ${schema}.timer (id, kind, due)
    ${>lease_timers} and :ttl::bigint is null
    union all
    select id, 'grant', until from leased where :ttl::bigint is not null
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id)
    select lane, situation, submitted, seq, id from leased where :ttl::bigint is not null
)

-- name: fronts
-- The gates of a lane behind which anything is ready, each with its first entry: from one to the next, however much is there.
with recursive front as (
    (
        select r.gate, r.rank, r.fresh, r.seq
        from ${schema}.ready r
        where r.lane = :lane::integer
        order by r.lane, r.gate, r.rank, r.fresh, r.seq
        limit 1
    )
    union all
    select next.gate, next.rank, next.fresh, next.seq
    from front
    cross join lateral (
        select r.gate, r.rank, r.fresh, r.seq
        from ${schema}.ready r
        where r.lane = :lane::integer and r.gate > front.gate
        order by r.lane, r.gate, r.rank, r.fresh, r.seq
        limit 1
    ) as next
)
select gate, rank, fresh, seq from front

-- name: receipt_of_nothing
insert into ${schema}.receipt (session, number, ids, epochs) values (:session::uuid, :number::bigint, '{}', '{}')

-- name: free_number
-- Where nothing is left of what a claim was given, it may be made anew under its number.
delete from ${schema}.receipt r
where r.session = :session::uuid and r.number = :number::bigint
    and not exists (
        select from unnest(r.ids) as given (id) join ${schema}.execution e on e.id = given.id where e.session = r.session)

-- name: receipt_leases
-- What is still held of what one claim gave.
select
    ${>lease_columns}
from ${schema}.receipt r
cross join unnest(r.ids, r.epochs) with ordinality as given (id, epoch, n)
join ${schema}.execution e on e.id = given.id and e.epoch = given.epoch and e.session = r.session and e.situation = 'running'
where r.session = :session::uuid and r.number = :number::bigint
order by given.n

-- name: large_inputs
select id, bytes from ${schema}.payload where id = any(:ids::uuid[]) and not produced

-- name: lease
select
    ${>lease_columns}
from ${schema}.execution e
where e.id = :id::uuid and e.part = :part::smallint and e.session = :session::uuid

-- name: admission
-- What an execution counts against if it starts now, and what its lane says; so it stays until the transaction is over.
select l.namespace, l.name, l.settings::text as settings, l.since, l.registered_by, l.changed, g.meters
from ${schema}.execution e
join ${schema}.lane l on l.id = e.lane
join ${schema}.lane_gate g on g.lane = e.lane and g.gate = e.gate
where e.id = :id::uuid
for share of l

-- name: claim_one
-- One that was named, from a row that the caller has locked; with a time to live as a grant.
with ${>clock},
unqueued as (
    delete from ${schema}.ready r
    using ${schema}.execution e
    where e.id = :id::uuid and r.lane = e.lane and r.gate = e.gate and r.rank = e.rank
        and r.fresh = (e.next = 'first') and r.seq = e.seq
),
leased as (
    update ${schema}.execution e
    set ${>leased_or_granted},
        epoch = greatest(e.epoch + 1, clock.now, e.changed),
        since = greatest(clock.now, e.changed),
        until = clock.now + :ttl::bigint,
        counted_meters = (select nullif(g.meters, '{}') from ${schema}.lane_gate g where g.lane = e.lane and g.gate = e.gate),
        reserved_amounts = (
            select nullif(${schema}.costs_of(e.reserve, g.floors, g.lead_from, g.lead_to, cardinality(g.meters)), '{}')
            from ${schema}.lane_gate g where g.lane = e.lane and g.gate = e.gate),
        changed = greatest(clock.now, e.changed)
    from clock
    where e.id = :id::uuid and e.situation = 'ready'
    returning e.*
),
counted as (
    -- The caller has locked these, and has seen that there is room.
    update ${schema}.meter m
    set running = m.running + 1,
        reserved = m.reserved + leased.reserved_amounts[array_position(leased.counted_meters, m.id)],
        ${>changed_meter},
        (window_starts, window_counts, reopens_at) = (
            select coalesce(c.window_starts, '{}'), coalesce(c.window_counts, '{}'), c.reopens_at
            from (select) as once
            left join lateral (
                select * from ${schema}.count_starts(
                    m.window_starts, m.window_counts, m.rate, m.window_ms, clock.now,
                    case when leased.next in ('first', 'retry', 'replay') then 1 else 0 end)
                where m.rate is not null) as c on true)
    from leased, clock
    where m.id = any(leased.counted_meters)
),
receipted as (
    -- Numbers below zero are no worker's: claims by operators are kept under them.
    insert into ${schema}.receipt (session, number, ids, epochs)
    select :session::uuid, -seq * 1000000 - epoch % 1000000, array[id], array[epoch] from leased
    on conflict (session, number) do update set ids = excluded.ids, epochs = excluded.epochs
),
${>leases_timed},
recorded as (
    insert into ${schema}.event_${day} (at, execution, part, lane, transition, situation, attempts, epoch, session, actor, reason, until)
    select
        since, id, part, lane,
        (case when :ttl::bigint is not null then 'grant' when next = 'reclaim' then 'reclaim' else 'claim' end)::${schema}.transition,
        situation, attempts, epoch, session, :actor, :reason, until
    from leased
)
select id, epoch from leased
