@NullMarked
package io.flowfabric.cli;

import org.jspecify.annotations.NullMarked;
