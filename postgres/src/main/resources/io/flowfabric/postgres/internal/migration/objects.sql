-- Everything that a schema holds and that a migration can have made: what it is, its name, and its definition in the words of the server.
with here as (
    select oid from pg_namespace where nspname = ?
)
select
    'table' as kind,
    c.relname::text as name,
    concat_ws(' ', c.relkind::text, array_to_string(c.reloptions, ' '), pg_get_expr(c.relpartbound, c.oid)) as definition
from pg_class c join here on here.oid = c.relnamespace
where c.relkind in ('r', 'p', 'S')
union all
select 'column', c.relname || '.' || a.attname, concat_ws(
    ' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
    nullif(a.attidentity::text, ''), a.attstorage)
from pg_class c
join here on here.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relkind in ('r', 'p')
union all
select 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
from pg_constraint k
join here on here.oid = k.connamespace
join pg_class c on c.oid = k.conrelid
-- of the columns, which say it themselves
where k.contype <> 'n'
union all
select 'index', c.relname::text, concat_ws(' ', pg_get_indexdef(c.oid), case when not i.indisvalid then 'invalid' end)
from pg_class c
join here on here.oid = c.relnamespace
join pg_index i on i.indexrelid = c.oid
union all
select 'type', t.typname::text, string_agg(e.enumlabel::text, ' ' order by e.enumsortorder)
from pg_type t
join here on here.oid = t.typnamespace
join pg_enum e on e.enumtypid = t.oid
group by t.typname
union all
select 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', pg_get_functiondef(p.oid)
from pg_proc p join here on here.oid = p.pronamespace
where p.prokind = 'f'
union all
select 'aggregate', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', concat_ws(' ', a.aggtransfn::text, a.agginitval)
from pg_proc p
join here on here.oid = p.pronamespace
join pg_aggregate a on a.aggfnoid = p.oid
order by 1, 2
