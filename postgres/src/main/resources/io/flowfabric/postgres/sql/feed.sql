-- name: feed_now
select
    pg_current_snapshot()::text as snapshot,
    (select coalesce(max(id), 0) from ${schema}.event) as last,
    (select dropped from ${schema}.horizon) as dropped

-- name: feed_from_the_beginning
-- Everything that the target snapshot sees, in order.
select e.*, w.namespace, w.worker, w.instance, l.namespace as lane_namespace, s.tags
from ${schema}.event e
left join ${schema}.session w on w.id = e.session
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.submission s on s.id = e.execution
where e.id > :after::bigint and pg_visible_in_snapshot(e.xid, :target::pg_snapshot)
order by e.id
limit :max::integer

-- name: feed_since
-- What the target snapshot sees and the one before did not: who began after it, or was still at it.
select e.*, w.namespace, w.worker, w.instance, l.namespace as lane_namespace, s.tags
from (
    select * from ${schema}.event where xid >= pg_snapshot_xmax(:since::pg_snapshot)
    union all
    select * from ${schema}.event where xid = any(array(select pg_snapshot_xip(:since::pg_snapshot)))
) e
left join ${schema}.session w on w.id = e.session
left join ${schema}.lane l on l.id = e.lane
left join ${schema}.submission s on s.id = e.execution
where e.id > :after::bigint and pg_visible_in_snapshot(e.xid, :target::pg_snapshot)
order by e.id
limit :max::integer

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
