-- name: lock_streams
-- Locks the executions to whose streams is written, where the fence holds. How the streams stand is read by the next statement,
-- which sees what was committed while this one waited.
with ${>clock}
select i.id, i.part, i.attempt, i.epoch, greatest(clock.now, e.changed) as now
from clock
cross join unnest(:ids::uuid[], :parts::smallint[], :attempts::integer[], :epochs::bigint[]) as i (id, part, attempt, epoch)
join ${schema}.execution e on e.id = i.id and e.part = i.part and e.situation = 'running'
    and e.attempts - 1 = i.attempt and e.epoch = i.epoch
join ${schema}.session s on s.id = e.session and not s.dead and s.alive_until > clock.now
order by e.id
for update of e

-- name: stream_standings
select
    m.execution as id, m.next, m.frames, m.bytes, m.passing, m.at, m.version,
    -- only a patch needs the summary
    coalesce(case when i.patched then m.document end, '') as document
from unnest(:ids::uuid[], :attempts::integer[], :patched::boolean[]) as i (id, attempt, patched)
join ${schema}.stream m on m.execution = i.id and m.attempt = i.attempt

-- name: frames_at
-- What a repeat is compared with.
select f.execution as id, ${>frame_columns}
from unnest(:ids::uuid[], :attempts::integer[], :places::bigint[]) as i (id, attempt, place)
join ${schema}.frame f on f.execution = i.id and f.attempt = i.attempt and f.place = i.place

-- name: append
-- Writes frames that were decided beside the store, to streams of executions that this transaction has locked.
with standing as (
    insert into ${schema}.stream as m (execution, attempt, next, frames, bytes, passing, at, version, document)
    select id, attempt, next, frames, bytes, passing, at, version, document
    from unnest(
        :ids::uuid[], :attempts::integer[], :nexts::bigint[], :frames::integer[], :bytes::bigint[], :passings::bigint[], :ats::bigint[],
        :versions::bigint[], :documents::text[]
    ) as i (id, attempt, next, frames, bytes, passing, at, version, document)
    on conflict (execution, attempt) do update
    set next = excluded.next, frames = excluded.frames, bytes = excluded.bytes, passing = excluded.passing, at = excluded.at,
        version = excluded.version, document = coalesce(excluded.document, m.document)
),
noted as (
    update ${schema}.execution e set streamed = true where e.id = any(:ids::uuid[]) and e.streamed is null
),
gone as (
    delete from ${schema}.frame f
    using unnest(:ids::uuid[], :attempts::integer[], :gone_before::bigint[], :gone_now::bigint[]) as i (id, attempt, before, now)
    where i.now > i.before and f.execution = i.id and f.attempt = i.attempt and f.passing > i.before and f.passing <= i.now
)
insert into ${schema}.frame (execution, attempt, place, passing, mode, type, content_type, content, at)
select id, attempt, place, passing, mode::${schema}.frame_mode, type, content_type, content, at
from unnest(
    :frame_ids::uuid[], :frame_attempts::integer[], :places::bigint[], :numbers::bigint[], :modes::text[], :types::text[],
    :content_types::text[], :contents::bytea[], :frame_ats::bigint[]
) as f (id, attempt, place, passing, mode, type, content_type, content, at)

-- name: frames
-- A page of the stream of an attempt and one more, as far as the bytes before a frame are not too many, and how the stream and its
-- execution stand; one row without a place when there are none.
select e.attempts, e.situation, e.next, coalesce(m.next, 0) as "end", f.*
from ${schema}.execution e
left join ${schema}.stream m on m.execution = e.id and m.attempt = :attempt::integer
left join lateral (
    select page.*
    from (
        select ${>frame_columns}, sum(octet_length(f.content)) over (order by f.place) - octet_length(f.content) as ahead
        from ${schema}.frame f
        where m.next is not null and f.execution = e.id and f.attempt = :attempt::integer
            and f.place >= :from::bigint and f.place <= :to::bigint and f.at >= :since::bigint and f.at <= :until::bigint
        order by f.place
        limit :max::integer + 1
    ) as page
    where page.ahead <= :page_bytes::bigint
) as f on true
where e.id = :id::uuid and e.part = :part::smallint
order by f.place

-- name: summary
select m.version, m.document
from ${schema}.execution e
left join ${schema}.stream m on m.execution = e.id and m.attempt = :attempt::integer
where e.id = :id::uuid and e.part = :part::smallint

-- fragment: frame_columns
    f.place, f.mode, f.type, coalesce(f.content_type, 'application/octet-stream') as content_type, f.content, f.at
