-- What is needed beside submit.sql when work comes in through a transaction of the caller.

-- name: home
-- Which database this is. A copy of a server has its identifier and its databases, but did not start with it.
select concat_ws(
    ' ', control.system_identifier, database.oid, extract(epoch from pg_postmaster_start_time())) as home
from pg_control_system() control
join pg_database database on database.datname = current_database()

-- name: announce
-- Heard when, and only if, the transaction commits.
select pg_notify(:channel::text, message) from unnest(:messages::text[]) as message
