-- What the server is told about the types of parameters.

-- name: types
select
    pg_typeof(:longs)::text as longs,
    pg_typeof(:shorts)::text as shorts,
    pg_typeof(:uuids)::text as uuids,
    pg_typeof(:instants)::text as instants,
    pg_typeof(:bytes)::text as bytes;
