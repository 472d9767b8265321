truncate
    ${schema}.execution, ${schema}.submission, ${schema}.idempotency, ${schema}.result, ${schema}.failure,
    ${schema}.ready, ${schema}.timer, ${schema}.resting, ${schema}.tag, ${schema}.tally, ${schema}.session, ${schema}.receipt, ${schema}.event
