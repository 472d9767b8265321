select count(*) from ${schema}.ready
