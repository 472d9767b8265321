-- What older programs cannot do without.
alter table ${schema}.execution rename column attempts to tries;
