@NullMarked
package io.flowfabric.cli.terminal;

import org.jspecify.annotations.NullMarked;
