/**
 * The program behind {@code ./ff mutate statements}: changes the SQL of a store in small ways, one
 * at a time, and sees which changes no test notices. PIT does the same to its Java.
 */
@NullMarked
package io.flowfabric.mutation;

import org.jspecify.annotations.NullMarked;
