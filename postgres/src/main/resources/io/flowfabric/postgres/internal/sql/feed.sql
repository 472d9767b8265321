-- Every answer about the log says which era it is of, up to where the log was dropped, by event and by transaction, up to
-- where it was written elsewhere, which server answers and the highest id so far, all as of the same snapshot: what was dropped while
-- somebody reads cannot be overlooked.

-- fragment: dropped_transaction
greatest(upper(h.dropped_late) - 1, h.dropped_early)

-- fragment: log_columns
    coalesce(h.era, 0) as era,
    h.dropped,
    greatest(${>dropped_transaction}, h.dropped_by) as dropped_transaction,
    h.restored,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server,
    pg_current_snapshot()::text as now,
    ${schema}.last_event_id() as last

-- fragment: lost
    -- Whether something was dropped that was of a transaction which a reader has not seen: one younger than all that it has
    -- seen, or one that was open then. Nothing is dropped of a transaction that is open: not of one that still is, nor of one
    -- that was when the last drop was over.
    coalesce(
        ${>dropped_transaction} >= txid_snapshot_xmax(:judged::text::txid_snapshot)
        or exists (
            select from txid_snapshot_xip(:judged::text::txid_snapshot) as x
            where (x <= h.dropped_early or h.dropped_late @> x)
                and not txid_visible_in_snapshot(h.dropped_by, :judged::text::txid_snapshot)
                and txid_visible_in_snapshot(x, txid_current_snapshot())), false) as lost

-- name: feed_now
select
    ${>log_columns},
    greatest(${schema}.newest_transaction(), nullif(greatest(${>dropped_transaction}, h.dropped_by), 0)) as newest
from ${schema}.event_log h

-- name: feed_events
-- Some of what this statement sees (or the target did) and the snapshot "since" did not, because the writer began after
-- it or was still at it. While all is as it was at a glance that found nothing, none are looked for.
with log as materialized (
    select
        ${>log_columns},
        ${>lost},
        -- A standby lists no transactions that are in progress, so two of its snapshots may look the same.
        case when not pg_is_in_recovery() then concat_ws(
            ' ', extract(epoch from pg_postmaster_start_time()), checkpoint_lsn, pg_current_snapshot()) end as glance
    from ${schema}.event_log h
    cross join pg_control_checkpoint()
)
select
    log.*, e.*, w.namespace as session_namespace, w.worker, w.instance,
    -- Those of an execution that retention has removed are kept as long as its events.
    case when e.kind = 'flow_changed' then
        array(select tag.key || '=' || tag.value from jsonb_each_text(e.payload -> 'tags') as tag)
    when :tagged::boolean then coalesce(
        (select k.tags from ${schema}.kept_tags k where k.execution = e.execution and k.up_to >= e.id order by k.up_to limit 1),
        (select s.tags from ${schema}.execution s where s.id = e.execution)) end as tags
from log
left join lateral ${schema}.read_events(
    :above::bigint, :up_to::bigint, :since::text, :target::text, log.restored,
    case when log.glance = :quiet::text then 0 else :most::integer end) as e on true
left join ${schema}.session w on w.id = e.session
order by e.id

-- name: dropped
-- A statement of its own, after what was read: emptying a day is seen at once, also by a snapshot from before.
select h.dropped, ${>lost} from ${schema}.event_log h

-- name: summarise_events
select ${schema}.summarise_events(:most::integer, ${day}) as made

-- name: log_origin
-- Where the log is: a server keeps its identifier for life, and gets another timeline when it takes over
-- from the one it was a copy of.
select
    concat_ws(' ', control.system_identifier, database.oid) as origin,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline
from pg_control_system() control
join pg_database database on database.datname = current_database()

-- name: log_origin_at_checkpoint
-- The same, as of the last checkpoint, for servers that do not tell where they write.
select
    concat_ws(' ', control.system_identifier, database.oid) as origin,
    checkpoint.timeline_id as timeline
from pg_control_system() control
cross join pg_control_checkpoint() checkpoint
join pg_database database on database.datname = current_database()

-- name: log_origin_kept
select
    origin,
    timeline,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_is_in_recovery()) as server
from ${schema}.event_log

-- name: lock_log_origin
select origin, timeline from ${schema}.event_log for update

-- name: lock_events
-- Waits for those who write, and lets no other begin.
lock table ${schema}.event in share mode

-- name: begin_era
-- What was written elsewhere keeps the transactions of that server, which mean nothing on this one.
update ${schema}.event_log
set origin = :origin::text, timeline = :timeline::integer, era = :era::bigint,
    restored = case when :elsewhere::boolean then ${schema}.last_event_id() else restored end,
    dropped_early = case when :elsewhere::boolean then 0 else dropped_early end,
    dropped_late = case when :elsewhere::boolean then '{}' else dropped_late end,
    dropped_by = case when :elsewhere::boolean then 0 else dropped_by end

-- name: history
select e.*, w.namespace as session_namespace, w.worker, w.instance, null::text[] as tags
from ${schema}.event e
left join ${schema}.session w on w.id = e.session
-- An earlier execution of this id may have been erased.
where e.execution = :id::uuid and e.kind in ('step', 'step_recorded', 'signal_received', 'waitpoint_closed')
order by e.id

-- name: heartbeats
select e.*, w.namespace as session_namespace, w.worker, w.instance, null::text[] as tags
from ${schema}.event e
join ${schema}.session w on w.id = e.session
where e.execution is null and e.session = any(:sessions::uuid[]) and e.id > :after::bigint
order by e.id
