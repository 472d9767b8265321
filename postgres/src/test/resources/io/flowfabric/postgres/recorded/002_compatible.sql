-- readable from: 001
-- What a newer program might add, and older ones need not know.
alter type ${schema}.situation add value 'asleep';
alter type ${schema}.transition add value 'doze';
alter type ${schema}.next add value 'awaken';
alter type ${schema}.timer_kind add value 'alarm';
alter type ${schema}.event_kind add value 'dreamt';
alter table ${schema}.execution add column mood text not null default 'calm';
alter table ${schema}.session add column mood text;
create table ${schema}.dream (id uuid primary key);
