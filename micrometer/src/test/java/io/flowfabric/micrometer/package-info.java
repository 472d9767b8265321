/** Tests of the meters: an engine on the store in memory, scraped as Prometheus does it. */
@NullMarked
package io.flowfabric.micrometer;

import org.jspecify.annotations.NullMarked;
