/**
 * What every program of the command line needs of the terminal: something to print on, Ctrl-C as a
 * wish that can be answered in order, and a way to say that the words were wrong.
 *
 * <p>It knows the JDK only, and must never know what a program is about.
 */
@NullMarked
package io.flowfabric.cli.terminal;

import org.jspecify.annotations.NullMarked;
