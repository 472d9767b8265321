/**
 * Systems that are compared with the product, each in a process of its own.
 *
 * <p>It knows the contenders and how to start a JVM for one of them. It must never know how often
 * they run or what is made of their times.
 */
@NullMarked
package io.flowfabric.bench.peer;

import org.jspecify.annotations.NullMarked;
