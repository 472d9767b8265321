-- what is ready, and what will be when its time has come
select (select count(*) from ${schema}.ready) + (select count(*) from ${schema}.timer where kind = 'wake')
