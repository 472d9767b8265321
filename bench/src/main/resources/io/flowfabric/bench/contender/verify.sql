-- Each of these must be as many as were stored.
select
    (select count(*) from ${schema}.execution) as executions,
    (select count(*) from ${schema}.execution where situation = 'completed') as completed,
    (select count(*) from ${schema}.result) as results,
    (select count(*) from ${schema}.retention) as kept,
    (select count(*) from ${schema}.event where transition = 'claim') as claims,
    (select count(*) from ${schema}.event where transition = 'complete') as completions,
    (select count(distinct execution) from ${schema}.event where transition = 'complete') as distinct_completions
