/** The examples run, and the pages show code that is compiled and run. */
@NullMarked
package io.flowfabric.examples;

import org.jspecify.annotations.NullMarked;
