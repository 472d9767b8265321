/**
 * What becomes of real work when real things break: worker processes are killed or stopped, the
 * server dies, connections are cut, answers are lost, the disk is full.
 *
 * <p>It knows the product as its users do, a real Postgres, real processes and the signals that end
 * them; the history checker judges every run. It must never look inside a store to find out whether
 * a run went well, and never end a process that it did not start.
 */
@NullMarked
package io.flowfabric.faults;

import org.jspecify.annotations.NullMarked;
