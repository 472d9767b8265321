-- fragment: now
-- The clock of this server decides; tests say the time.
coalesce(:now::bigint, floor(extract(epoch from statement_timestamp()) * 1000)::bigint)

-- fragment: clock
clock as materialized (
    select ${>now} as now
)

-- name: clock
select ${>now} as now
