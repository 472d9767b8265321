-- Times are milliseconds since 1970, by the clock of this server. The words of the enums are those of
-- the state table and the transition table.

create type ${schema}.situation as enum (
    'ready', 'delayed', 'backing_off', 'resuming_later', 'awaiting_children', 'held_by_operator',
    'granted', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'expired', 'skipped');
create type ${schema}.next as enum ('first', 'retry', 'replay', 'continue', 'reclaim');
create type ${schema}.delayed_by as enum ('request', 'backoff', 'resumption');
create type ${schema}.transition as enum (
    'submit', 'wake', 'claim', 'reclaim', 'grant', 'redeem', 'forfeit', 'complete', 'retry', 'fail',
    'delay', 'release', 'suspend', 'await', 'lapse', 'revoke', 'escalate', 'resume', 'satisfy', 'pause',
    'reprioritise', 'cancel', 'expire', 'skip', 'replay');
create type ${schema}.lane_state as enum ('active', 'paused', 'draining', 'disabled');
create type ${schema}.enforcement as enum ('warn', 'stop', 'cancel');
create type ${schema}.frame_mode as enum ('durable', 'live', 'summary');
create type ${schema}.timer_kind as enum ('deadline', 'attempt', 'stall', 'wake', 'suspension', 'grant');

-- Only those that somebody has told to behave otherwise than by default.
create table ${schema}.namespace (
    name text primary key,
    -- what statements have to know of the settings
    retention bigint not null,
    -- all settings that differ from their defaults, also those that only newer programs know
    settings jsonb not null default '{}',
    check (retention >= 0)
);

create table ${schema}.lane (
    id integer generated always as identity primary key,
    namespace text not null,
    name text not null,
    state ${schema}.lane_state not null default 'active',
    weight integer not null default 1,
    -- how long work must have waited to overtake one priority more; null: priority is strict
    ageing bigint,
    -- whether share keys take turns
    sharing boolean not null default false,
    -- where rounds have begun since keys share: one before it was given when they did so earlier
    first_round bigint not null default 1,
    -- all settings that differ from their defaults, also those that only newer programs know
    settings jsonb not null default '{}',
    -- Which generation of its gates this is. A process that submits work behind a gate that it knows says of which generation; those
    -- of earlier ones have to be looked up again.
    generation bigint not null default 0,
    -- Gates of generations before this one are removed when they have no work.
    swept bigint not null default 0,
    -- The last transaction that changed ageing or sharing. Null once all work that waits has the rank which the settings of now give
    -- it, also what was queued by transactions that had begun before the change.
    ranked_by xid8,
    -- when it came into being, and by whom: the creator of its first work, or an operator
    since bigint not null,
    registered_by text not null default '',
    -- since when it is what it is, who made it so, and why; null as long as it is as it began
    changed bigint,
    changed_by text,
    change_reason text,
    unique (namespace, name),
    check ((changed_by is null) = (change_reason is null) and (changed_by is null) = (changed is null)),
    check (weight between 1 and 1000),
    check (ageing > 0),
    check (not sharing or ageing is null)
);
create index lane_to_rank on ${schema}.lane (id) where ranked_by is not null;

-- The place of work in its lane, lower first. Where keys share it is that of work begun: fresh work is as
-- many places behind it as its round says, and 2^48 rounds fit between two priorities.
create function ${schema}.place_of(priority integer, submitted bigint, ageing bigint, sharing boolean)
    returns bigint language sql immutable parallel safe as $$
    select case
        when sharing then -priority * 281474976710656
        when ageing is null then -priority::bigint
        else submitted - priority * ageing end
$$;

-- How far the rounds of a lane have come: the furthest that a claim has started work from.
create table ${schema}.round (
    lane integer not null,
    priority smallint not null,
    reached bigint not null,
    primary key (lane, priority)
) with (fillfactor = 50);

-- Which round a share key was given last, or 0. One that is over is as good as none.
create table ${schema}.share (
    lane integer not null,
    priority smallint not null,
    key text not null,
    round bigint not null,
    primary key (lane, priority, key)
) with (fillfactor = 50);

-- A bound on how much runs at once, and how often. A deleted one bounds nothing.
create table ${schema}.quota (
    id integer generated always as identity primary key,
    namespace text not null,
    name text not null,
    concurrency_limit integer,
    rate integer,
    window_ms bigint,
    -- all that is defined, also what only newer programs know
    settings jsonb not null default '{}',
    deleted boolean not null default false,
    unique (namespace, name),
    check ((rate is null) = (window_ms is null))
);

-- What is submitted again and again.
create table ${schema}.schedule (
    namespace text not null,
    name text not null,
    -- all that is defined but the input, also what only newer programs know
    settings jsonb not null,
    input bytea not null,
    -- how it stands: revision, last and next occurrence, refusals
    standing jsonb not null,
    -- when an engine is to see to it, in ms since 1970; none while nothing is to come
    due bigint,
    primary key (namespace, name)
);

create index schedule_due on ${schema}.schedule (due) where due is not null;

-- How much may be used up. A deleted one bounds nothing.
create table ${schema}.budget (
    id integer generated always as identity primary key,
    namespace text not null,
    name text not null,
    enforcement ${schema}.enforcement not null,
    period bigint,
    -- all that is defined, also what only newer programs know
    settings jsonb not null default '{}',
    parent integer references ${schema}.budget,
    deleted boolean not null default false,
    unique (namespace, name)
);

-- Those whose breach is looked for again and again.
create index budget_cancels on ${schema}.budget (id) where enforcement = 'cancel' and not deleted;

-- What counts against a quota, for one key of it, or against one dimension of a budget. Whoever starts or ends
-- such work waits for this row, so it says itself what is allowed.
create table ${schema}.meter (
    id integer generated always as identity primary key,
    quota integer references ${schema}.quota,
    budget integer references ${schema}.budget,
    -- of a quota: the key, or empty for what has none; of a budget: the dimension
    key text not null,
    concurrency_limit integer,
    rate integer,
    window_ms bigint,
    -- What changes with every claim and ending stands together: the log then holds no more of the row than this.
    running integer not null default 0,
    -- changes since it was moved last, 0 to 255
    changes integer not null default 0,
    -- how often it was moved to a new place in meter_newest: with every 256th change, because each move costs an entry in every index
    moves integer not null default 0,
    used bigint not null default 0,
    -- set aside for what runs, and not yet used
    reserved bigint not null default 0,
    -- when those began that still count, the oldest first, and how many at each of these moments
    window_starts bigint[] not null default '{}',
    window_counts integer[] not null default '{}',
    -- when the next may begin, while the rate is full
    reopens_at bigint,
    soft bigint,
    hard bigint,
    -- where work stops: at the hard limit, if it does at all
    enforced_limit bigint,
    -- when it begins at zero again
    resets bigint,
    -- the last report before it began at zero: what is refunded of it, or of one before it, lowers nothing
    counts_after bigint not null default 0,
    -- the id once more: who asks for this one is not led through all versions of the row by the primary key
    slot integer not null generated always as (id) stored,
    unique (quota, key),
    unique (budget, key),
    check (running >= 0 and used >= 0 and reserved >= 0),
    check ((quota is null) <> (budget is null))
) with (fillfactor = 50);
-- While a snapshot is held, no version is removed of a row that changes all the time. Here the newest come first.
create index meter_newest on ${schema}.meter (slot, moves);
create index meter_reopens on ${schema}.meter (reopens_at) where reopens_at is not null;
create index meter_resets on ${schema}.meter (resets) where resets is not null;

-- When a start of a moment counts as made. Up to 10,000 in a window that is to the millisecond, beyond at the end of its slice, of which a
-- window has a thousand: so none counts for too short a time. The same as `Quota.Rate.counted`; `CountedStartsTest` holds them to each other.
create function ${schema}.slice_of(moment bigint, rate integer, window_ms bigint)
    returns bigint language sql immutable parallel safe as $$
    select case
        when rate <= 10000 or window_ms < 2000 then moment
        else (moment + window_ms / 1000 - 1) / (window_ms / 1000) * (window_ms / 1000) end
$$;

-- The starts that still count, with some more of this moment, and when the next may begin if the rate is full: the same moment as
-- `Quota.Rate.opens` says, to which `CountedStartsTest` holds it.
create function ${schema}.count_starts(
    starts bigint[], counts integer[], rate integer, window_ms bigint, now bigint, more integer,
    out window_starts bigint[], out window_counts integer[], out reopens_at bigint)
    language sql immutable parallel safe as $$
    select
        coalesce(array_agg(w.at order by w.at), '{}'), coalesce(array_agg(w.n order by w.at), '{}'),
        case when sum(w.n) >= rate then min(w.at) filter (where w.later < rate) + window_ms end
    from (
        select
            kept.at, sum(kept.n)::integer as n, sum(sum(kept.n)) over () - sum(sum(kept.n)) over (order by kept.at) as later
        from (
            select s.at, s.n from unnest(starts, counts) as s (at, n) where s.at > now - window_ms
            union all
            select ${schema}.slice_of(now, rate, window_ms), more where more > 0
        ) as kept
        group by kept.at
    ) as w
$$;

-- The starts without those of some moments, which came to nothing.
create function ${schema}.uncount_starts(
    starts bigint[], counts integer[], rate integer, window_ms bigint, gone bigint[], out window_starts bigint[], out window_counts integer[])
    language sql immutable parallel safe as $$
    select
        coalesce(array_agg(w.at order by w.at) filter (where w.n > 0), '{}'), coalesce(array_agg(w.n order by w.at) filter (where w.n > 0), '{}')
    from (
        select s.at, s.n - (
            select count(*)::integer from unnest(gone) as start where ${schema}.slice_of(start, rate, window_ms) = s.at) as n
        from unnest(starts, counts) as s (at, n)
    ) as w
$$;

-- Counts in one meter, whose row the caller has locked: so many more places, so much more set aside, and, where starts are
-- counted, so many of them at a moment. Fewer than none are not counted: a count that is wrong is put right when it is counted
-- anew, and until then must not keep work from ending.
--
-- A function, because it sees the locked version of the row itself, and so asks for the newest and no other. A statement sees
-- the version from before it waited for the lock, and has to find the row by a condition that both meet: as soon as the planner
-- has counted few meters, it reads all versions of all of them for that.
create function ${schema}.count_in(number integer, places integer, amount bigint, begun integer, moment bigint)
    returns integer language plpgsql volatile as $$
begin
    update ${schema}.meter m
    set running = greatest(0, m.running + places),
        reserved = greatest(0, m.reserved + amount),
        -- as every frequent change of a meter: see changed_meter
        changes = (m.changes + 1) % 256, moves = m.moves + (m.changes + 1) / 256,
        (window_starts, window_counts, reopens_at) = (
            select
                case when begun is null then m.window_starts else coalesce(c.window_starts, '{}') end,
                case when begun is null then m.window_counts else coalesce(c.window_counts, '{}') end,
                case when begun is null then m.reopens_at else c.reopens_at end
            from (select) as once
            left join lateral (
                select * from ${schema}.count_starts(m.window_starts, m.window_counts, m.rate, m.window_ms, moment, begun)
                where begun is not null and m.rate is not null) as c on true)
    where m.ctid = (select v.ctid from ${schema}.meter v where v.slot = number order by v.moves desc limit 1);
    return number;
end
$$;

-- What executions have used up, as they reported it.
create sequence ${schema}.spending_id;
create table ${schema}.spending (
    -- drawn under the lock of the meters that it counts in
    id bigint not null default nextval('${schema}.spending_id'),
    budget integer not null references ${schema}.budget,
    key text not null,
    execution uuid not null,
    dimension text not null,
    amount bigint not null,
    at bigint not null,
    refunded boolean not null default false,
    primary key (budget, key)
);
create index spending_of on ${schema}.spending (execution);

-- What a piece of work needs before it may start. Work is queued per gate, so that what a worker
-- cannot run is never in its way.
create table ${schema}.gate (
    id integer generated always as identity primary key,
    kind text not null,
    needs text[] not null,
    -- whether a comparison is among the needs, so that the process has to say whom it fits
    compares boolean not null,
    -- whether an attempt at such work can time out or stall
    timed boolean not null,
    -- What a program must be able to read to work on it: a program that writes what older ones cannot read raises it, and
    -- they leave that work to others.
    format smallint not null default 1,
    -- what it counts against, and the same as it was asked for; of a budget which dimensions are reserved, and not how much
    meters integer[] not null default '{}',
    quotas text[] not null default '{}',
    budgets text[] not null default '{}',
    -- Which reservation is set aside in which meter, by their places: the first dimension that is reserved is 1, and so is the
    -- first of the meters.
    lead_from integer[] not null default '{}',
    lead_to integer[] not null default '{}',
    -- of kind, needs, meters and budgets: together they may be too long for an index
    digest bytea not null unique
);

-- What one execution sets aside in each of so many meters: the sum of the reservations that lead there, each at least its floor.
create function ${schema}.costs_of(reserve bigint[], floors bigint[], lead_from integer[], lead_to integer[], meters integer)
    returns bigint[] language sql immutable parallel safe as $$
    select case when cardinality(lead_from) = 0 then array_fill(0::bigint, array[meters]) else array(
        select coalesce((
            select sum(greatest(reserve[lead.pair], floors[lead.pair]))
            from unnest(lead_from, lead_to) as lead (pair, meter) where lead.meter = nth)::bigint, 0)
        from generate_series(1, meters) as nth) end
$$;

-- Which gates a lane has work for, or had not long ago: where a claim has to look.
create table ${schema}.lane_gate (
    lane integer not null references ${schema}.lane,
    gate integer not null references ${schema}.gate,
    -- That of the lane when work was last announced behind it. Once the lane has a later one the gate is retired: nothing comes in
    -- behind it that does not announce itself.
    generation bigint not null,
    -- what work behind the gate counts against when it starts from this lane
    meters integer[] not null,
    -- what the lane sets aside at least of each reservation: those of the gate first, then those that the lane alone has
    floors bigint[] not null,
    -- as of the gate, and of what the lane adds
    lead_from integer[] not null,
    lead_to integer[] not null,
    -- the smallest amount of each reservation of the gate that work came with; null: its work reserves nothing
    smallest bigint[],
    -- whether there was work that reserved something else
    varies boolean not null default false,
    -- So much of each meter is set aside by whatever starts, and more by what has reserved more than the smallest amount.
    costs bigint[] not null generated always as (
        ${schema}.costs_of(smallest, floors, lead_from, lead_to, cardinality(meters))) stored,
    primary key (lane, gate)
);
create index lane_gate_of on ${schema}.lane_gate (gate);

-- In which lanes work may wait behind a meter: those to wake when it has room again.
create table ${schema}.lane_meter (
    meter integer not null references ${schema}.meter,
    lane integer not null,
    primary key (meter, lane)
);

-- How far the removal of gates without work has come, in one row.
create table ${schema}.gate_sweep (
    -- how many gates must have been made before the next one begins
    begins_at bigint not null,
    -- resting; retired: every lane has a new generation; fenced: what has not seen that has an earlier snapshot or number than the
    -- fence; heard: what has not seen it has an earlier number than the fence
    step text not null default 'resting' check (step in ('resting', 'retired', 'fenced', 'heard')),
    -- the number of a transaction
    fence bigint,
    -- until when one engine removes what may be removed
    busy_until bigint not null default 0,
    check ((step in ('fenced', 'heard')) = (fence is not null))
);
insert into ${schema}.gate_sweep (begins_at) values (1000);

-- What one engine does for all of them from time to time, and when the turn at it was last taken.
create table ${schema}.turn (
    duty text primary key,
    taken bigint not null
);

-- Policies without what differs from one execution to the next. There are few, so they are stored once.
create table ${schema}.policy (
    id integer generated always as identity primary key,
    -- keyed JSON with the fields that differ from their defaults; what only newer programs know stays in it
    body text not null unique,
    -- what the statements themselves have to know of it
    attempt_timeout bigint,
    stall_timeout bigint,
    -- null: as long as the namespace says
    retention bigint
);

create sequence ${schema}.execution_seq;

-- An execution: what was submitted, how it stands, and what came of it. Only its id is indexed, so that every change of
-- state is a HOT update. What never changes stands at the two ends of the row: an update then logs only its middle.
create table ${schema}.execution (
    id uuid primary key,
    -- the order of submission, within a millisecond
    seq bigint not null,
    submitted bigint not null,
    lane integer not null,
    gate integer not null,
    policy integer not null,
    part smallint not null,
    priority smallint not null,
    -- as it was submitted, where that has been changed
    first_priority smallint,
    situation ${schema}.situation not null,
    -- what the next lease is for; while running, what this one is for
    next ${schema}.next not null,
    attempts integer not null default 0,
    retries integer not null default 0,
    reclaims integer not null default 0,
    replays integer not null default 0,
    epoch bigint not null default 0,
    -- the position in the lane, lower first; as in the ready entry, if there is one
    rank bigint not null,
    changed bigint not null,
    deadline bigint,
    -- until when it is delayed, or a grant for it holds; while held, or waiting for others, what it goes back to; when its suspension
    -- ends by itself
    until bigint,
    delayed_by ${schema}.delayed_by,
    -- why it is held, or suspended, or waits for others
    detail text,
    session uuid,
    since bigint,
    -- the meters that it counts against while it runs or is granted; null: none
    counted_meters integer[],
    -- what is still set aside for it in each of them
    reserved_amounts bigint[],
    progress_percent smallint,
    progress_message text,
    progress_at bigint,
    -- how many steps were recorded, how large they are together, and when the last one was; null: none
    steps integer,
    step_bytes integer,
    step_at bigint,
    -- whether it has waited, or was told something; null: never
    waited boolean,
    -- whether an attempt of it has a stream; null: none
    streamed boolean,
    -- how the holder of the newest lease gave it up, to answer its repeats
    released_epoch bigint,
    released_digest bytea,
    released_transition ${schema}.transition,
    released_until bigint,
    -- the last failure
    failure_category text,
    failure_message text,
    failure_detail text,
    -- who ended it, and why, when it was not its worker
    ended_by text,
    end_reason text,
    -- what it produced, if it has completed; null bytes: they are a payload of their own
    result_type text,
    result bytea,
    -- null bytes: they are a payload of their own
    input_type text,
    input bytea,
    digest bytea not null,
    creator text not null,
    key text,
    -- the key that takes turns with others, in a lane where keys share
    share text,
    -- key=value; a key holds no equals sign; null: none
    tags text[],
    -- when it may start and when it expires, as they were asked for: 'after 5000', 'at 1767254400000'; null: at once, never
    start_due text,
    deadline_due text,
    -- how much it reserves, in the order of its gate; null: nothing
    reserve bigint[],
    -- the flow that it is a member of; null: none
    flow uuid,
    -- Impossible rows are refused. In one expression: the server reads each constraint anew with every statement.
    check (
        part between 0 and 255 and priority between 0 and 9000 and epoch >= attempts
        -- a session holds it, or a grant for it, exactly while it runs or is granted, and nothing runs that was never claimed
        and (situation in ('running', 'granted')) = (session is not null)
        and (situation in ('running', 'granted', 'suspended')) = (since is not null)
        and (situation <> 'running' or attempts > 0)
        and (situation in ('running', 'granted') or counted_meters is null) and (counted_meters is null) = (reserved_amounts is null)
        -- what waits for a time says for which, and why
        and (situation not in ('delayed', 'backing_off', 'resuming_later') or until is not null)
        and (until is null or situation in ('granted', 'suspended')) = (delayed_by is null)
        and (situation <> 'granted' or until is not null)
        and (steps is null) = (step_bytes is null) and (steps is null) = (step_at is null))
) with (
    -- room for a second version of every row: the claim of a batch and the pruning after it stay on the page
    fillfactor = 45);

-- Inputs and results that are too large to be copied with every change of their execution.
create table ${schema}.payload (
    id uuid not null,
    -- whether it is a result, or else an input
    produced boolean not null,
    bytes bytea not null,
    primary key (id, produced)
);
alter table ${schema}.payload alter column bytes set storage external;

-- What is remembered of executions that wait, or may be told something: keyed JSON.
create table ${schema}.awaiting (
    id uuid primary key,
    body text not null
);

-- The open waitpoints of a lane, the oldest first. Work that ends while one is open leaves it behind, until it is forgotten.
create table ${schema}.waitpoint (
    lane integer not null,
    opened bigint not null,
    execution uuid not null,
    name text collate "C" not null,
    primary key (lane, opened, execution, name)
);
create index waitpoint_of on ${schema}.waitpoint (execution);

-- What executions have received, numbered from 1 in that order.
create table ${schema}.signal (
    execution uuid not null,
    number bigint not null,
    -- where it arrived: the name of the waitpoint, and its number
    waitpoint text not null,
    place bigint not null,
    name text not null,
    key text,
    effect text not null,
    at bigint not null,
    actor text not null,
    reason text not null,
    content_type text,
    content bytea not null,
    primary key (execution, number)
);
alter table ${schema}.signal alter column content set storage external;
create unique index signal_key on ${schema}.signal (execution, place, key) where key is not null;

-- What workers have recorded of executions, each once, numbered from 1 in that order.
create table ${schema}.step (
    execution uuid not null,
    name text not null,
    nth integer not null,
    -- of its name, its content type and its content
    bytes integer not null,
    digest bytea not null,
    content_type text,
    content bytea not null,
    attempt integer not null,
    recorded bigint not null,
    primary key (execution, name)
);
alter table ${schema}.step alter column content set storage external;

-- How the streams of attempts stand that have one. Whoever writes to one has locked its execution.
create table ${schema}.stream (
    execution uuid not null,
    attempt integer not null,
    -- the place of the next frame
    next bigint not null,
    -- how many frames stay, and how large they are together, with types and content types
    frames integer not null,
    bytes bigint not null,
    -- how many frames there were that do not stay
    passing bigint not null,
    -- when the last frame was appended
    at bigint not null,
    -- how many patches the summary is made of, and what they have come to; null: none
    version bigint not null,
    document text,
    primary key (execution, attempt)
) with (fillfactor = 50);

-- What was said in attempts.
create table ${schema}.frame (
    execution uuid not null,
    attempt integer not null,
    place bigint not null,
    -- which of those that do not stay it is, from 1; null: it stays
    passing bigint,
    mode ${schema}.frame_mode not null,
    type text not null,
    content_type text,
    content bytea not null,
    at bigint not null,
    primary key (execution, attempt, place),
    check ((mode = 'durable') = (passing is null))
);
create index frame_passing on ${schema}.frame (execution, attempt, passing) where passing is not null;

-- Where to find what has a tag, in the order of submission.
create table ${schema}.tag (
    lane integer not null,
    -- key=value
    word text not null,
    submitted bigint not null,
    seq bigint not null,
    id uuid not null,
    primary key (lane, word, submitted, seq)
);

create table ${schema}.idempotency (
    namespace text not null,
    key text not null,
    id uuid not null,
    primary key (namespace, key)
);

-- What can be claimed now, in the order in which it is.
create table ${schema}.ready (
    lane integer not null,
    gate integer not null,
    rank bigint not null,
    fresh boolean not null,
    seq bigint not null,
    id uuid not null,
    deadline bigint,
    submitted bigint not null,
    -- whether it begins an attempt, or goes on with one
    begins_attempt boolean not null,
    -- of fresh work in a lane where keys share: whose turn it is
    share text,
    -- as of the execution: what does not fit is passed over without a look at it
    reserve bigint[],
    primary key (lane, gate, rank, fresh, seq)
) with (
    -- entries come and go all the time: dead ones must not pile up in front of a claim
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0
);

create index ready_order on ${schema}.ready (lane, submitted, seq);
create index ready_share on ${schema}.ready (lane, share, rank) where share is not null;

-- Gives rounds to fresh work, in the order in which it is listed: the one after that which its key was given
-- last, but none that is over. A round that nobody was started from and nobody waits for was given in vain;
-- where somebody may wait whom this transaction cannot see, the caller says so.
--
-- A function, because what waits must be looked at once the keys are locked, which is after the statement began. In SQL,
-- because another language would leave its settings behind on a connection that is not ours.
create function ${schema}.draw_rounds(ids uuid[], lanes integer[], priorities smallint[], keys text[], unseen boolean)
    returns table (id uuid, round bigint) language sql volatile as $$
    insert into ${schema}.round (lane, priority, reached)
    select distinct lane, priority, 1 from unnest(lanes, priorities) as asked (lane, priority)
    order by lane, priority
    on conflict do nothing;

    -- This locks those that there are, in order.
    insert into ${schema}.share as s (lane, priority, key, round)
    select distinct lane, priority, key, 0 from unnest(lanes, priorities, keys) as asked (lane, priority, key)
    order by lane, priority, key
    on conflict (lane, priority, key) do update set round = s.round;

    with asked as (
        select lane, priority, key, array_agg(id order by n) as ids
        from unnest(ids, lanes, priorities, keys) with ordinality as asked (id, lane, priority, key, n)
        group by lane, priority, key
    ),
    turn as materialized (
        select
            s.lane, s.priority, s.key, asked.ids,
            greatest(r.reached, l.first_round, 1 + case when unseen then s.round else least(s.round, greatest(r.reached, (
                select max(q.rank) - ${schema}.place_of(s.priority, null, null, true)
                from ${schema}.ready q
                where q.lane = s.lane and q.share = s.key
                    and q.rank > ${schema}.place_of(s.priority, null, null, true)
                    and q.rank < ${schema}.place_of(s.priority - 1, null, null, true)))) end) as first
        from asked
        join ${schema}.share s on s.lane = asked.lane and s.priority = asked.priority and s.key = asked.key
        join ${schema}.round r on r.lane = asked.lane and r.priority = asked.priority
        join ${schema}.lane l on l.id = asked.lane
    ),
    given as (
        update ${schema}.share s
        set round = turn.first + cardinality(turn.ids) - 1
        from turn
        where s.lane = turn.lane and s.priority = turn.priority and s.key = turn.key
    )
    select piece.id, turn.first + piece.n - 1
    from turn
    cross join unnest(turn.ids) with ordinality as piece (id, n);
$$;

-- Which pieces of work fit into what is left, taken one after the other: one that does not fit is passed over, and those behind
-- it get what it leaves. The state is how much is taken, and whether the last one fits (1) or not (0).
create function ${schema}.take_next(taken bigint[], cost bigint, room bigint)
    returns bigint[] language sql immutable parallel safe as $$
    select case when cost <= room - taken[1] then array[taken[1] + cost, 1] else array[taken[1], 0] end
$$;
create aggregate ${schema}.take_what_fits(cost bigint, room bigint) (
    sfunc = ${schema}.take_next, stype = bigint[], initcond = '{0,1}');

-- What is neither ready nor running: what waits for something else than a worker, and what has ended.
-- So whatever an execution is, there is an index that has it and its like in the order of submission.
create table ${schema}.inactive (
    lane integer not null,
    situation ${schema}.situation not null,
    submitted bigint not null,
    seq bigint not null,
    id uuid not null,
    -- when it ended, if it has
    ended bigint,
    -- when it may be forgotten, where its policy says so; otherwise its namespace does
    due bigint,
    primary key (lane, situation, submitted, seq),
    check (situation not in ('ready', 'running')),
    check ((ended is not null) = (situation in ('completed', 'failed', 'cancelled', 'expired', 'skipped')))
);
create index inactive_due on ${schema}.inactive (due) where due is not null;
create index inactive_ended on ${schema}.inactive (lane, ended) where ended is not null and due is null;

-- How many have ended, as changes to be added up: whoever ends work adds a row, and waits for nobody.
create table ${schema}.ended_count (
    lane integer not null,
    situation ${schema}.situation not null,
    change bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);

create type ${schema}.flow_state as enum ('running', 'completed', 'failed', 'cancelled', 'skipped');
create type ${schema}.member_decision as enum ('pending', 'satisfied', 'impossible');
create type ${schema}.outcome as enum ('success', 'failed', 'cancelled', 'expired', 'skipped');
create sequence ${schema}.flow_seq;

-- A graph of executions. Everything about it, its members and its edges changes only under the lock of this row.
create table ${schema}.flow (
    id uuid primary key,
    -- the order of submission
    seq bigint not null,
    part smallint not null,
    namespace text not null,
    kind text not null,
    state ${schema}.flow_state not null,
    -- whether something is still to be done that follows from what has happened
    unsettled boolean not null default false,
    -- when it ended, if it did
    ended bigint,
    -- keyed JSON: what becomes of it, and what it was submitted with
    changing text not null,
    fixed text not null,
    input_type text,
    input bytea not null,
    -- only what runs has no end
    check ((state = 'running') = (ended is null)),
    -- what has ended has nothing left to be done
    check (ended is null or not unsettled),
    -- partitions have numbers of one byte
    check (part between 0 and 255)
) with (fillfactor = 50);
alter table ${schema}.flow alter column input set storage external;
create index flow_listed on ${schema}.flow (namespace, seq);
create index flow_unsettled on ${schema}.flow (id) where unsettled;
create index flow_over on ${schema}.flow (namespace, ended) where ended is not null;

-- What is kept of the members of flows beside their executions.
create table ${schema}.flow_member (
    flow uuid not null,
    -- from 0, in the order in which they were added
    number integer not null,
    name text not null,
    execution uuid not null,
    part smallint not null,
    -- how many of its edges it needs; null: all
    quorum integer,
    -- whether those before it are skipped that it does not need any more
    cancels boolean not null,
    -- whether edges into it may still come
    growing boolean not null,
    -- how many edges lead into it, how many of them count as had, and how many can never be had
    edges integer not null,
    met integer not null,
    missed integer not null,
    decided ${schema}.member_decision not null,
    ready_at bigint,
    outcome ${schema}.outcome,
    ended_at bigint,
    primary key (flow, number),
    -- no edge counts twice
    check (met >= 0 and missed >= 0 and met + missed <= edges),
    -- what has ended did so at some time
    check ((outcome is null) = (ended_at is null)),
    -- nothing starts while edges may come
    check (not growing or decided = 'pending')
) with (fillfactor = 70);
create index flow_member_of on ${schema}.flow_member (execution);

-- Which members come after which, by their numbers.
create table ${schema}.flow_edge (
    flow uuid not null,
    upstream integer not null,
    downstream integer not null,
    -- whether any end of the upstream counts, or only a success
    any_end boolean not null,
    primary key (flow, upstream, downstream),
    -- nothing comes after itself
    check (upstream <> downstream)
);
create index flow_edge_into on ${schema}.flow_edge (flow, downstream, upstream);

-- Members that have ended, and executions that have ended while they awaited the flow, in a commit without its lock. What follows from that is done by the next who has the lock.
create table ${schema}.flow_ended (
    flow uuid not null,
    execution uuid not null,
    outcome ${schema}.outcome not null,
    primary key (flow, execution)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- What time will do.
create table ${schema}.timer (
    id uuid not null,
    kind ${schema}.timer_kind not null,
    due bigint not null,
    primary key (id, kind)
);
create index timer_due on ${schema}.timer (kind, due, id);

-- Worker processes. Leases live as long as their session; a dead one stays as a tombstone, so that its
-- id never lives again.
create table ${schema}.session (
    id uuid primary key,
    namespace text not null,
    worker text not null,
    instance text not null,
    lanes text[] not null,
    kinds text[] not null,
    offers text[] not null,
    ttl bigint not null,
    opened bigint not null,
    alive_until bigint not null,
    acknowledged bigint not null default 0,
    dead boolean not null default false,
    -- when the death was noticed, which may be later than it happened
    died bigint,
    -- dead, and holds nothing any more
    buried boolean not null default false,
    check (dead or not buried),
    check (dead = (died is not null))
) with (fillfactor = 50);
create index session_unburied on ${schema}.session (alive_until) where not buried;
-- Those whose work has to be returned: living ones, of which every heartbeat leaves a version, are not in the way.
create index session_dying on ${schema}.session (id) where dead and not buried;
create index session_listed on ${schema}.session (namespace, dead, id);

-- What each claim gave to a session: the work list when it dies.
create table ${schema}.receipt (
    session uuid not null,
    number bigint not null,
    ids uuid[] not null,
    epochs bigint[] not null,
    primary key (session, number)
);

-- What signs that which is handed to outsiders. The one that never retires is the one that signs; there is no other.
create table ${schema}.signing_key (
    number bigint generated always as identity primary key,
    id text not null unique,
    secret bytea not null,
    -- by what the secret is wrapped; null: it is not
    wrapping text,
    made bigint not null,
    retires bigint,
    actor text not null,
    reason text not null,
    check (octet_length(secret) >= 32)
);
create unique index signing_key_current on ${schema}.signing_key ((true)) where retires is null;

-- What an event tells of.
create type ${schema}.event_kind as enum (
    -- an execution took a step; a worker recorded one of its own
    'step', 'step_recorded',
    -- an execution received a signal; an operator closed a waitpoint of it
    'signal_received', 'waitpoint_closed',
    -- a session showed a sign of life, or was declared dead by an operator
    'heartbeat', 'marked_dead',
    -- an execution and all that was told of it was erased
    'erased',
    -- an operator changed a lane, a namespace, a quota, a budget, a schedule
    'lane_changed', 'namespace_changed', 'quota_changed', 'budget_changed', 'schedule_changed',
    -- a limit of a budget was reached; a count was wrong and was put right
    'budget_reached', 'drifted',
    -- an operator had another key sign
    'key_rotated',
    -- something happened to a flow as a whole
    'flow_changed');

-- Everything that happened. The id is drawn under the lock of the row that the event is about, so it orders the
-- history of each execution; the number of the transaction tells a feed what it has not seen yet.
--
-- There are sixteen tables of events, one for each day, used in turn: the day that is over is emptied at
-- once. Statements name the table of the day themselves, because finding it would cost each of them.
create sequence ${schema}.event_id;
create table ${schema}.event (
    id bigint not null default nextval('${schema}.event_id'),
    xid bigint not null default txid_current(),
    at bigint not null,
    epoch bigint,
    until bigint,
    kind ${schema}.event_kind not null default 'step',
    lane integer,
    transition ${schema}.transition,
    situation ${schema}.situation,
    attempts integer,
    day smallint not null,
    part smallint,
    execution uuid,
    session uuid,
    actor text,
    reason text,
    failure_category text,
    failure_message text,
    failure_detail text,
    -- of what has neither a lane nor a session
    namespace text,
    -- what else the kind tells, keyed
    payload jsonb,
    check (kind <> 'step' or (execution is not null and lane is not null and transition is not null and situation is not null))
) partition by list (day);

-- Ids, transactions and times grow with the place in the table, so for feeds and retention it is enough to know the
-- lowest and the highest of every 32 pages: a step writes one entry of a b-tree, that of its history. What was
-- written last has no such summary until summarise_events makes it, and is looked at whole.
do $$
begin
    for day in 0..15 loop
        -- Days are emptied whole: to vacuum them for what was inserted would be in vain.
        execute format(
            'create table ${schema}.event_%s partition of ${schema}.event (day default %s) for values in (%s)'
                ' with (autovacuum_vacuum_insert_threshold = -1)', day, day, day);
        execute format(
            'create index event_%s_place on ${schema}.event_%s using brin (id, xid, at) with (pages_per_range = 32)', day, day);
    end loop;
end
$$;
create index event_place on ${schema}.event using brin (id, xid, at) with (pages_per_range = 32);
create index event_history on ${schema}.event (execution, id) where execution is not null;
create index event_heartbeats on ${schema}.event (session, id) where execution is null and session is not null;

-- How many pages of each day's table have summaries, as long as it is the same file.
create table ${schema}.event_day (
    day smallint primary key,
    file bigint not null,
    summarised bigint not null
);

-- What is to be known about the log of events as a whole, in one row.
create table ${schema}.event_log (
    -- up to which event it has been dropped
    dropped bigint not null,
    -- The transactions of what was dropped: a reader that has seen later events may not have seen these, when they were open
    -- then. Of the last events they are known one by one; of the others, up to which one there were any.
    dropped_late int8multirange not null default '{}',
    dropped_early bigint not null default 0,
    -- the last transaction that dropped some, which the one row makes come one after the other
    dropped_by bigint not null default 0,
    -- which server and database it is in, and on which timeline; null until an engine has looked
    origin text,
    timeline integer,
    -- a number drawn anew when one of these has changed: cursors of another era mean nothing
    era bigint,
    -- up to which event it was written on another server, whose transactions mean nothing here
    restored bigint not null default 0,
    -- when the server was started that the data was last seen on
    server_started timestamptz,
    check ((origin is null) = (era is null) and (origin is null) = (timeline is null))
);
insert into ${schema}.event_log (dropped) values (0);

-- The tags of executions that retention has removed, for as long as there are events of them.
create table ${schema}.kept_tags (
    execution uuid not null,
    -- no event of it is after this one; of another execution with the same id all are
    up_to bigint not null,
    tags text[] not null,
    -- when the execution was removed
    kept bigint not null,
    primary key (execution, up_to)
);
create index kept_tags_age on ${schema}.kept_tags (kept);

-- The highest id that an event can have so far.
create function ${schema}.last_event_id() returns bigint language sql volatile as $$
    select case when is_called then last_value else last_value - 1 end from ${schema}.event_id
$$;

-- The next events, in order, of those with ids above one bound and up to another, that the caller sees (or did when
-- the target was its snapshot) and that the snapshot "since" does not see. Those that were written elsewhere, before a
-- restore, are seen by every snapshot.
create function ${schema}.read_events(above bigint, up_to bigint, since text, target text, restored bigint, most integer)
returns setof ${schema}.event language plpgsql stable as $$
declare
    seen constant txid_snapshot := since;
    goal constant txid_snapshot := target;
    -- Nothing of a later transaction was seen.
    fresh constant bigint := coalesce(txid_snapshot_xmax(seen), 0);
    -- What was open then and has ended: most of it is as young as what is fresh; the rest is looked up one by one.
    ended constant bigint[] := array(
        select x from txid_snapshot_xip(seen) as x where txid_visible_in_snapshot(x, txid_current_snapshot()));
    young constant bigint := least(fresh, (select min(x) from unnest(ended) as x where x >= fresh - 64));
    old constant bigint[] := array(select x from unnest(ended) as x where x < fresh - 64);
    low constant bigint := case when since is null then above else greatest(above, restored) end;
begin
    return query
    select /* flowfabric:read_events */ unseen.*
    from (
        select v.* from ${schema}.event v
        where v.id > low and v.id <= up_to and v.xid >= young
        union all
        select v.*
        from unnest(old) as late (xid)
        cross join lateral (
            select e.* from ${schema}.event e where e.id > low and e.id <= up_to and e.xid = late.xid offset 0) as v
    ) as unseen
    where unseen.id <= restored or (
        (since is null or not txid_visible_in_snapshot(unseen.xid, seen))
        and (target is null or txid_visible_in_snapshot(unseen.xid, goal)))
    order by unseen.id
    limit most;
end
$$;

-- The highest transaction of which there are events, if any; of those that this server knows.
create function ${schema}.newest_transaction() returns bigint language plpgsql stable as $$
declare
    restored constant bigint := (select h.restored from ${schema}.event_log h);
    last constant bigint := ${schema}.last_event_id();
    width bigint := 1024;
    found bigint;
begin
    -- The newest events lead near it.
    loop
        select /* flowfabric:newest_transaction */ max(v.xid) into found from ${schema}.event v where v.id > greatest(last - width, restored);
        exit when found is not null or last - width <= restored;
        width := width * 16;
    end loop;
    if found is null then
        return null;
    end if;
    return (select /* flowfabric:newest_transaction */ greatest(max(v.xid), found) from ${schema}.event v where v.xid > found and v.id > restored);
end
$$;

-- Which days' tables have events from before a moment, and whether they have others too.
create function ${schema}.aged_days(before bigint, out day integer, out mixed boolean)
returns setof record language plpgsql stable as $$
begin
    for number in 0..15 loop
        if exists (select /* flowfabric:aged_days */ from ${schema}.event v where v.day = number and v.at < before) then
            day := number;
            mixed := exists (select /* flowfabric:aged_days */ from ${schema}.event v where v.day = number and v.at >= before);
            return next;
        end if;
    end loop;
end
$$;

-- Notes up to which event the log is dropped, and of which transactions what was dropped is: of ten thousand one by one, and of
-- the others up to which.
create function ${schema}.note_dropped(last bigint, late int8multirange, early bigint) returns void language sql as $$
    with noted as (
        select h.dropped_late + coalesce(late, '{}') as late, greatest(h.dropped_early, early) as early from ${schema}.event_log h
    ),
    bounded as (
        select noted.late, greatest(noted.early, (
            select upper(span) - 1 from unnest(noted.late) as span order by span desc offset 10000 limit 1)) as early
        from noted
    )
    update ${schema}.event_log h
    set dropped = greatest(h.dropped, last),
        dropped_early = bounded.early,
        dropped_late = bounded.late * int8multirange(int8range(bounded.early, null, '()')),
        dropped_by = txid_current()
    from bounded
$$;

-- Empties a day's table of which nothing is to be kept, and says up to which event the log is dropped by that; null
-- when there is something to be kept after all.
create function ${schema}.empty_day(number integer, before bigint) returns bigint language plpgsql as $$
declare
    -- of so many events the transactions are noted one by one
    noted constant bigint := 10000;
    restored constant bigint := (select h.restored from ${schema}.event_log h);
    lowest bigint := 0;
    highest bigint;
    middle bigint;
    -- what was dropped before is told apart no longer
    early bigint := (select greatest(upper(h.dropped_late) - 1, h.dropped_early) from ${schema}.event_log h);
    youngest bigint := txid_snapshot_xmax(txid_current_snapshot());
    late int8multirange;
begin
    execute format('lock table ${schema}.event_%s in access exclusive mode', number);
    if exists (select from ${schema}.event v where v.day = number and v.at >= before) then
        return null;
    end if;
    -- The highest event is found in a few looks.
    highest := ${schema}.last_event_id();
    while lowest < highest loop
        middle := (lowest + highest) / 2;
        if exists (select from ${schema}.event v where v.day = number and v.id > middle) then
            lowest := middle + 1;
        else
            highest := middle;
        end if;
    end loop;
    select range_agg(int8range(v.xid, v.xid, '[]')) into late
    from ${schema}.event v where v.day = number and v.id > greatest(highest - noted, restored);
    -- Of those before them, only which transaction is the youngest.
    while early < youngest and highest - noted > restored loop
        middle := (early + youngest) / 2;
        if exists (
            select from ${schema}.event v
            where v.day = number and v.id > restored and v.id <= highest - noted and v.xid > middle
        ) then
            early := middle + 1;
        else
            youngest := middle;
        end if;
    end loop;
    perform ${schema}.note_dropped(highest, late, early);
    execute format('truncate ${schema}.event_%s', number);
    return highest;
end
$$;

-- Deletes what is too old among what is not, because a day came round again before it was emptied.
create function ${schema}.forget_events(number integer, before bigint, most integer) returns bigint language plpgsql as $$
declare
    last bigint;
    late int8multirange;
begin
    with old as materialized (
        select v.ctid as place from ${schema}.event v
        where v.day = number and v.at < before order by v.id limit most
    ),
    gone as (
        delete from ${schema}.event v
        where v.day = number and v.ctid = any(array(select place from old)) returning v.id, v.xid
    )
    select max(id), range_agg(int8range(xid, xid, '[]')) filter (where id > (select restored from ${schema}.event_log))
    into last, late from gone;
    if last is not null then
        perform ${schema}.note_dropped(last, late, 0);
    end if;
    return last;
end
$$;

-- Makes summaries of what was written meanwhile, some at a time, and says of how many ranges of pages. The newest
-- ranges of the day that is written to have to wait: they are still being filled, and each event would have to change its summary.
create function ${schema}.summarise_events(most integer, written integer) returns integer language plpgsql set lock_timeout = '20ms' as $$
declare
    pages_per_range constant integer := 32;
    made integer := 0;
    today record;
    reached bigint;
begin
    if pg_is_in_recovery() then
        return 0;
    end if;
    for today in
        select number.day, file.node, file.pages
        from generate_series(0, 15) as number (day)
        cross join lateral (
            select
                pg_relation_filenode(name)::bigint as node,
                pg_relation_size(name) / current_setting('block_size')::integer
                    - case number.day when written then 2 * pages_per_range - 1 else 0 end as pages
            from (select format('${schema}.event_%s', number.day)::regclass as name) as event) as file
        left join ${schema}.event_day d on d.day = number.day and d.file = file.node
        where file.pages > coalesce(d.summarised, 0)
    loop
        insert into ${schema}.event_day (day, file, summarised) values (today.day, today.node, 0) on conflict do nothing;
        begin
            select case when d.file = today.node then d.summarised else 0 end into reached
            from ${schema}.event_day d where d.day = today.day for update;
        exception
            -- Another process makes some, so there may be more.
            when lock_not_available then return most;
        end;
        while reached < today.pages and made < most loop
            perform brin_summarize_range(format('${schema}.event_%s_place', today.day)::regclass, reached);
            reached := reached + pages_per_range;
            made := made + 1;
        end loop;
        update ${schema}.event_day set file = today.node, summarised = reached where day = today.day;
    end loop;
    return made;
exception
    -- A vacuum is at it, which does the same.
    when lock_not_available then return 0;
end
$$;

-- However a connection is set, and whatever the tables held when the plan was made: by the summaries.
do $$
declare
    name text;
begin
    foreach name in array array['read_events', 'newest_transaction', 'aged_days', 'empty_day', 'forget_events'] loop
        execute format('alter function ${schema}.%I set enable_seqscan = off', name);
        execute format('alter function ${schema}.%I set enable_bitmapscan = on', name);
        execute format('alter function ${schema}.%I set enable_tidscan = on', name);
        execute format('alter function ${schema}.%I set max_parallel_workers_per_gather = 0', name);
        execute format('alter function ${schema}.%I set plan_cache_mode = force_generic_plan', name);
        execute format('alter function ${schema}.%I set jit = off', name);
    end loop;
end
$$;
