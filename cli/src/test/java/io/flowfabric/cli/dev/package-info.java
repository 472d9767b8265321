@NullMarked
package io.flowfabric.cli.dev;

import org.jspecify.annotations.NullMarked;
