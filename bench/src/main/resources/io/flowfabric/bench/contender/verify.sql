-- Each of these must be as many as were stored. What still waits is counted by itself.
select
    (select count(*) from ${schema}.execution where situation <> 'ready') as executions,
    (select count(*) from ${schema}.execution where situation in ('completed', 'failed', 'cancelled')) as ended,
    (select count(*) from ${schema}.execution e where situation not in ('completed', 'ready') or result is not null) as results,
    (select count(*) from ${schema}.inactive) as inactive,
    (select sum(change) from ${schema}.ended_count) as tallied,
    (select count(*) from ${schema}.event where transition = 'claim') as claims,
    (select count(*) from ${schema}.event where transition = 'complete') as completions,
    (select count(distinct execution) from ${schema}.event where transition = 'complete') as distinct_completions
