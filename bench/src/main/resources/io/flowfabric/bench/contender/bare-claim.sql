-- Deletes the queue entry, locks the session, changes the state row, writes receipt and event; reads the input.
with holder as (
    select id from ${schema}.session where id = ? for key share
),
head as (
    select lane, gate, rank, fresh, seq
    from ${schema}.ready
    order by lane, gate, rank, fresh, seq
    limit 1
    for update skip locked
),
unqueued as (
    delete from ${schema}.ready r
    using head h
    where r.lane = h.lane and r.gate = h.gate and r.rank = h.rank and r.fresh = h.fresh and r.seq = h.seq
    returning r.id
),
leased as (
    update ${schema}.execution e
    set situation = 'running', attempts = e.attempts + 1, epoch = e.epoch + 1, session = holder.id, since = ?, changed = ?
    from unqueued, holder
    where e.id = unqueued.id
    returning e.id, e.part, e.lane, e.attempts, e.epoch, e.session, e.since, e.input_type, e.input
),
receipted as (
    insert into ${schema}.receipt (session, number, ids, epochs)
    select session, ?, array[id], array[epoch] from leased
),
recorded as (
    insert into ${schema}.event_0 (at, execution, part, lane, transition, situation, attempts, epoch, session)
    select since, id, part, lane, 'claim', 'running', attempts, epoch, session from leased
)
select id, epoch, input_type, input from leased
