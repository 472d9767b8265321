-- Stores executions that ended a day ago, with everything that real ones leave behind: a hundredth failed, as many have a
-- tag, a thousandth was cancelled. Lane, gate and policy are those of an execution that was submitted before.
with id as materialized (
    select
        uuidv7() as id,
        nextval('${schema}.execution_seq') as seq,
        (case when n % 1000 = 7 then 'cancelled' when n % 100 = 3 then 'failed' else 'completed' end)::${schema}.situation as situation,
        case when n % 100 = 5 then array['colour=red'] end as tags
    from generate_series(1, ?) as n
),
template as (
    select
        lane, gate, policy, priority, rank,
        floor(extract(epoch from statement_timestamp()) * 1000)::bigint - 86400000 as then
    from ${schema}.execution
    limit 1
),
stored as (
    insert into ${schema}.execution (
        id, part, seq, lane, gate, policy, priority, rank, situation, next, attempts, epoch, submitted, changed,
        released_epoch, released_digest, released_transition, result, input, digest, creator, tags)
    select
        id.id, get_byte(uuid_send(id.id), 15), id.seq, t.lane, t.gate, t.policy, t.priority, t.rank, id.situation, 'first', 1, 1,
        t.then, t.then, 1, decode(repeat('00', 32), 'hex'), 'complete',
        case when id.situation = 'completed' then ''::bytea end, '', decode(repeat('00', 32), 'hex'), 'bench', id.tags
    from id
    cross join template t
    returning id, part, seq, lane, situation, priority, submitted, changed
),
tagged as (
    insert into ${schema}.tag (lane, word, submitted, seq, id)
    select t.lane, id.tags[1], t.then, id.seq, id.id from id cross join template t where id.tags is not null
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended)
    select lane, situation, submitted, seq, id, changed from stored
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change) select lane, situation, count(*) from stored group by lane, situation
),
recorded as (
    insert into ${schema}.event_1 (at, execution, part, lane, transition, situation, attempts, epoch)
    select s.changed, s.id, s.part, s.lane, step.transition::${schema}.transition, step.situation::${schema}.situation, step.epoch, step.epoch
    from stored s
    cross join (values (1, 'submit', 'ready', 0), (2, 'claim', 'running', 1), (3, 'complete', 'completed', 1))
        as step (n, transition, situation, epoch)
    order by s.id, step.n
)
select count(*) from stored
