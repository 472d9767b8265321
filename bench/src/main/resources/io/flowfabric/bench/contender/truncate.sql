truncate
    ${schema}.execution, ${schema}.payload, ${schema}.idempotency,
    ${schema}.ready, ${schema}.timer, ${schema}.inactive, ${schema}.tag, ${schema}.ended_count, ${schema}.session, ${schema}.receipt, ${schema}.event
