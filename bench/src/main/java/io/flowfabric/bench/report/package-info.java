/**
 * What is made of measurements: medians, ratios, a table for people and JSON for programs.
 *
 * <p>It knows numbers and words. It must never know where they come from.
 */
@NullMarked
package io.flowfabric.bench.report;

import org.jspecify.annotations.NullMarked;
