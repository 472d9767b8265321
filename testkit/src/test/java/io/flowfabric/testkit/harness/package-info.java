@NullMarked
package io.flowfabric.testkit.harness;

import org.jspecify.annotations.NullMarked;
