truncate
    ${schema}.execution, ${schema}.payload, ${schema}.idempotency,
    ${schema}.ready, ${schema}.timer, ${schema}.resting, ${schema}.tag, ${schema}.tally, ${schema}.session, ${schema}.receipt, ${schema}.event
