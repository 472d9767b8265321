-- Every answer about the log says which era it is of, up to where the log was dropped, which server answers
-- and which writer is the newest, all as of the same snapshot: what was dropped while somebody reads cannot be
-- overlooked.

-- name: feed_now
select
    coalesce(h.era, 0) as era,
    h.dropped,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server,
    pg_current_snapshot()::text as now,
    (select xid from ${schema}.event order by xid desc limit 1) as newest,
    (select coalesce(max(id), 0) from ${schema}.event) as last
from ${schema}.horizon h

-- name: feed_since
-- Begins a portion: what this statement sees and the given snapshot did not, because the writer began
-- after it or was still at it.
with portion as materialized (
    select
        pg_current_snapshot() as now,
        pg_snapshot_xmax(:since::pg_snapshot) as fresh,
        array(select pg_snapshot_xip(:since::pg_snapshot)) as late
)
select
    coalesce(h.era, 0) as era,
    h.dropped,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server,
    p.now::text as now,
    (select xid from ${schema}.event order by xid desc limit 1) as newest,
    e.*, w.namespace, w.worker, w.instance, l.namespace as lane_namespace,
    coalesce(s.tags, case when s.id is not null then '{}'::text[] end) as tags
from ${schema}.horizon h
cross join portion p
left join lateral (
    select * from (
        select * from ${schema}.event where xid >= p.fresh
        union all
        select * from ${schema}.event where xid = any(p.late)
    ) unseen
    order by id
    limit :max::integer
) e on true
left join ${schema}.session w on w.id = e.session
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.execution s on s.id = e.execution
order by e.id

-- name: feed_in_order
-- Goes on with a portion, or through the whole log, along the ids: however much is left, only what is
-- delivered is looked at.
with portion as materialized (
    select
        pg_current_snapshot() as now,
        :since::pg_snapshot as since,
        coalesce(:target::pg_snapshot, pg_current_snapshot()) as target
)
select
    coalesce(h.era, 0) as era,
    h.dropped,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server,
    p.now::text as now,
    (select xid from ${schema}.event order by xid desc limit 1) as newest,
    e.*, w.namespace, w.worker, w.instance, l.namespace as lane_namespace,
    coalesce(s.tags, case when s.id is not null then '{}'::text[] end) as tags
from ${schema}.horizon h
cross join portion p
left join lateral (
    select * from ${schema}.event
    where id > :after::bigint
        and pg_visible_in_snapshot(xid, p.target)
        and (p.since is null or not pg_visible_in_snapshot(xid, p.since))
    order by id
    limit :max::integer
) e on true
left join ${schema}.session w on w.id = e.session
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.execution s on s.id = e.execution
order by e.id

-- name: log_place
-- Where the log is: a server keeps its identifier for life, and gets another timeline when it takes over
-- from the one it was a copy of.
select
    concat_ws(' ', control.system_identifier, database.oid) as origin,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline
from pg_control_system() control
join pg_database database on database.datname = current_database()

-- name: log_place_at_checkpoint
-- The same, as of the last checkpoint, for servers that do not tell where they write.
select
    concat_ws(' ', control.system_identifier, database.oid) as origin,
    checkpoint.timeline_id as timeline
from pg_control_system() control
cross join pg_control_checkpoint() checkpoint
join pg_database database on database.datname = current_database()

-- name: log_place_kept
select
    origin,
    timeline,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server
from ${schema}.horizon

-- name: lock_log_place
select origin, timeline from ${schema}.horizon for update

-- name: stamp_anew
-- The transactions of another server mean nothing on this one.
update ${schema}.event set xid = pg_current_xact_id()

-- name: begin_era
update ${schema}.horizon set origin = :origin::text, timeline = :timeline::integer, era = :era::bigint

-- name: history
select e.*, w.namespace, w.worker, w.instance, l.namespace as lane_namespace, null::text[] as tags
from ${schema}.event e
left join ${schema}.session w on w.id = e.session
left join ${schema}.lane l on l.id = e.lane
-- Without a transition: that an earlier execution of this id was erased.
where e.execution = :id::uuid and e.transition is not null
order by e.id

-- name: heartbeats
select e.*, w.namespace, w.worker, w.instance, null::text as lane_namespace, null::text[] as tags
from ${schema}.event e
join ${schema}.session w on w.id = e.session
where e.execution is null and e.session = any(:sessions::uuid[]) and e.id > :after::bigint
order by e.id
