-- Changes the state row, which remembers the answer; writes result, retention and event.
with held as (
    select id, session, ?::bigint as now from ${schema}.execution where id = ? and situation = 'running' and epoch = ? for update
),
changed as (
    update ${schema}.execution e
    set situation = 'completed', session = null, since = null, changed = held.now,
        given_epoch = e.epoch, given_digest = decode(repeat('00', 32), 'hex'), given_transition = 'complete'
    from held
    where e.id = held.id
    returning e.id, e.part, e.lane, e.attempts, e.epoch, held.session, e.changed
),
kept as (
    insert into ${schema}.retention (due, id) select changed + 604800000, id from changed
),
produced as (
    insert into ${schema}.result (id, content_type, bytes) select id, 'application/octet-stream', '' from changed
),
recorded as (
    insert into ${schema}.event (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select changed, id, part, lane, 'complete', 'completed', attempts, epoch, session from changed
)
select count(*) from changed
