-- Statements of the tests of the JDBC layer.

-- name: add
insert into ${schema}.thing (id, name, amount)
values (:id, :name, :amount);

-- name: add_all
insert into ${schema}.thing (id, name, amount)
select * from unnest(:ids::uuid[], :names::text[], :amounts::bigint[])
returning id, name, amount;

-- name: find
select id, name, amount, flag, weight, content, at, small
from ${schema}.thing
where id = :id;

-- name: fill
update ${schema}.thing
set name = :name, amount = :amount, small = :small, flag = :flag, weight = :weight, content = :content, at = :at
where id = :id
returning *;

-- name: increase
update ${schema}.thing set amount = amount + :by where id = :id;

-- name: ids
select id from ${schema}.thing order by name;

-- name: count
select count(*) as n from ${schema}.thing;

-- name: arrays
select
    :uuids::uuid[] as uuids,
    :longs::bigint[] as longs,
    :ints::integer[] as ints,
    :texts::text[] as texts,
    array_to_string(:shorts::smallint[], ',', '-') as shorts,
    array_to_string(:booleans::boolean[], ',', '-') as booleans,
    array_to_string(:doubles::double precision[], ',', '-') as doubles,
    array_to_string(:bytes::bytea[], ',', '-') as bytes,
    array_to_string(:instants::timestamptz[], ',', '-') as instants;

-- name: time
select coalesce(:now, statement_timestamp()) as now, statement_timestamp() as clock;

-- name: fail
select ${schema}.fail(:state);

-- name: tries
select last_value as n from ${schema}.tries;

-- name: fail_until
select ${schema}.fail_until(:state, :tries) as n;

-- name: prepared
select count(*) as n from pg_prepared_statements where statement like '/* flowfabric:find */%';

-- name: settings
select
    current_setting('transaction_isolation') as isolation,
    current_setting('statement_timeout') as statement_timeout,
    current_setting('lock_timeout') as lock_timeout,
    current_setting('application_name') as application_name,
    pg_backend_pid() as pid;
