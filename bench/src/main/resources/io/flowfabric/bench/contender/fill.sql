-- Stores executions that have ended, with everything that a real one leaves behind. Lane, gate and terms are those
-- of an execution that was submitted before.
with id as materialized (
    select uuidv7() as id from generate_series(1, ?)
),
template as (
    select lane, gate, terms, priority, rank, floor(extract(epoch from statement_timestamp()) * 1000)::bigint as now
    from ${schema}.execution
    limit 1
),
stored as (
    insert into ${schema}.execution (
        id, part, lane, gate, terms, priority, rank, situation, next, attempts, epoch, submitted, changed,
        given_epoch, given_digest, given_transition)
    select
        id.id, get_byte(uuid_send(id.id), 15), t.lane, t.gate, t.terms, t.priority, t.rank, 'completed', 'first', 1, 1, t.now, t.now,
        1, decode(repeat('00', 32), 'hex'), 'complete'
    from id
    cross join template t
    returning id, part, lane, priority, changed
),
described as (
    insert into ${schema}.submission (id, creator, tags, priority, start_due, content_type, input, digest)
    select id, '', '{}', priority, 'after 0', 'application/octet-stream', '', decode(repeat('00', 32), 'hex') from stored
),
produced as (
    insert into ${schema}.result (id, content_type, bytes) select id, 'application/octet-stream', '' from stored
),
kept as (
    insert into ${schema}.retention (due, id) select changed + 604800000, id from stored
),
recorded as (
    insert into ${schema}.event (at, execution, part, lane, transition, situation, attempts, epoch)
    select s.changed, s.id, s.part, s.lane, step.transition::${schema}.transition, step.situation::${schema}.situation, step.epoch, step.epoch
    from stored s
    cross join (values (1, 'submit', 'ready', 0), (2, 'claim', 'running', 1), (3, 'complete', 'completed', 1))
        as step (n, transition, situation, epoch)
    order by s.id, step.n
)
select count(*) from stored
