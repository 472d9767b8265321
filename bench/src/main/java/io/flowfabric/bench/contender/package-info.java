/**
 * Those who are measured: each can store a backlog, drain it, and prove that nothing of it was lost
 * or done twice.
 *
 * <p>It knows the product on both of its stores, db-scheduler and JDBC. It must never know how
 * often it runs, against whom, or what is made of its times.
 */
@NullMarked
package io.flowfabric.bench.contender;

import org.jspecify.annotations.NullMarked;
