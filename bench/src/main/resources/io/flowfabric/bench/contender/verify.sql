select
    (select count(*) from ${schema}.execution) as stored,
    (select count(*) from ${schema}.execution where situation = 'completed') as completed,
    (select count(*) from ${schema}.ready) as ready,
    (select count(*) from ${schema}.result) as results,
    (select count(*) from ${schema}.retention) as kept,
    (select count(*) from ${schema}.event where transition = 'claim') as claims,
    (select count(*) from ${schema}.event where transition = 'complete') as completions,
    (select count(distinct execution) from ${schema}.event where transition = 'complete') as distinct_completions
