-- fragment: schedule_row
s.namespace, s.name, s.settings::text as settings, s.input, s.standing::text as standing

-- name: schedule
select ${>schedule_row} from ${schema}.schedule s
where s.namespace = :namespace and s.name = :name

-- name: lock_schedule
-- One change and one firing of a schedule at a time.
select ${>schedule_row} from ${schema}.schedule s
where s.namespace = :namespace and s.name = :name
for update

-- name: hold_schedule
-- One definition of a schedule at a time, also of one that has no row yet.
select pg_advisory_xact_lock(hashtextextended('${schema}.schedule ' || :namespace || ' ' || :name, 0))

-- name: put_schedule
insert into ${schema}.schedule (namespace, name, settings, input, standing, due)
values (:namespace, :name, :settings::jsonb, :input::bytea, :standing::jsonb, :due::bigint)
on conflict (namespace, name) do update
set settings = excluded.settings, input = excluded.input, standing = excluded.standing, due = excluded.due

-- name: set_schedule_standing
update ${schema}.schedule
set standing = :standing::jsonb, due = :due::bigint
where namespace = :namespace and name = :name

-- name: delete_schedule
delete from ${schema}.schedule
where namespace = :namespace and name = :name
returning name

-- name: tell_schedule
insert into ${schema}.event_${day} (kind, at, namespace, actor, reason, payload)
select 'schedule_changed', ${>now}, :namespace, :actor, :reason, :payload::jsonb

-- name: list_schedules
select ${>schedule_row} from ${schema}.schedule s
where s.namespace = :namespace and s.name collate "C" > :after collate "C"
order by s.name collate "C"
limit :max::integer

-- name: due_schedules
-- Those that are due first, whether they are due or not; and what time it is, also when there are none.
with ${>clock}
select clock.now, s.due, s.namespace, s.name, s.settings::text as settings, s.input, s.standing::text as standing
from clock
left join lateral (
    select * from ${schema}.schedule d where d.due is not null order by d.due limit :max::integer
) as s on true
order by s.due
