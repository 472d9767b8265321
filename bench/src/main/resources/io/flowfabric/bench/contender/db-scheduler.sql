-- The columns that db-scheduler asks for, and the two indexes that it recommends to those who use no priorities.
create table if not exists ${schema}.scheduled_tasks (
    task_name text not null,
    task_instance text not null,
    task_data bytea,
    execution_time timestamptz not null,
    picked boolean not null,
    picked_by text,
    last_success timestamptz,
    last_failure timestamptz,
    consecutive_failures integer,
    last_heartbeat timestamptz,
    version bigint not null,
    priority smallint,
    primary key (task_name, task_instance)
);
create index if not exists execution_time_idx on ${schema}.scheduled_tasks (execution_time);
create index if not exists last_heartbeat_idx on ${schema}.scheduled_tasks (last_heartbeat);
