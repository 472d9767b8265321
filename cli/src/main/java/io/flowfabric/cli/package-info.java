/**
 * The command line: which word starts which program, and with which exit code it ends.
 *
 * <p>It knows the programs. No program knows it, nor another program.
 */
@NullMarked
package io.flowfabric.cli;

import org.jspecify.annotations.NullMarked;
