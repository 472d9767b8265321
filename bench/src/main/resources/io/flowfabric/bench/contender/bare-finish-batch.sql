-- As bare-finish, for many at once.
with held as (
    select e.id, e.session, ?::bigint as now
    from ${schema}.execution e
    join unnest(?::uuid[], ?::bigint[]) as lease (id, epoch) on e.id = lease.id and e.epoch = lease.epoch
    where e.situation = 'running'
    order by e.id
    for update of e
),
changed as (
    update ${schema}.execution e
    set situation = 'completed', session = null, since = null, changed = held.now,
        released_epoch = e.epoch, released_digest = decode(repeat('00', 32), 'hex'), released_transition = 'complete',
        result = ''
    from held
    where e.id = held.id
    returning e.id, e.part, e.lane, e.submitted, e.seq, e.attempts, e.epoch, held.session, e.changed
),
made_inactive as (
    insert into ${schema}.inactive (lane, situation, submitted, seq, id, ended)
    select lane, 'completed', submitted, seq, id, changed from changed
),
tallied as (
    insert into ${schema}.ended_count (lane, situation, change) select lane, 'completed', count(*) from changed group by lane
),
recorded as (
    insert into ${schema}.event_0 (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select changed, id, part, lane, 'complete', 'completed', attempts, epoch, session from changed
)
select count(*) from changed
