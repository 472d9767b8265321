/**
 * Schedules: work that is submitted again and again, by a cron expression or an interval.
 *
 * <p>{@link io.flowfabric.core.schedule.Schedules} is for operators; {@link
 * io.flowfabric.core.schedule.Firings} is for engines, which find out when the next occurrence is
 * and fire it. It knows submissions, and must never know how a cron expression is read: that is
 * computed beside the store.
 */
@NullMarked
package io.flowfabric.core.schedule;

import org.jspecify.annotations.NullMarked;
