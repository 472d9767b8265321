truncate
    ${schema}.execution, ${schema}.submission, ${schema}.idempotency, ${schema}.result, ${schema}.failure,
    ${schema}.ready, ${schema}.timer, ${schema}.retention, ${schema}.session, ${schema}.receipt, ${schema}.event
