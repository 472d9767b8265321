@NullMarked
package io.flowfabric.testkit.history;

import org.jspecify.annotations.NullMarked;
