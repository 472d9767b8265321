/** What is read: views, searches, counts, explanations. */
@NullMarked
package io.flowfabric.postgres.internal.query;

import org.jspecify.annotations.NullMarked;
