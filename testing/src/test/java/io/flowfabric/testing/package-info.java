/** Tests of the kit, and examples of tests with it. */
@org.jspecify.annotations.NullMarked
package io.flowfabric.testing;
