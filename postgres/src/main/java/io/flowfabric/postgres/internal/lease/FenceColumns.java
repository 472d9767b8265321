package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.postgres.internal.jdbc.Query;

import java.util.Collection;
import java.util.function.Function;

/** The fences of a batch, as every statement names them that has the fence in its write. */
final class FenceColumns {
    private FenceColumns() {}

    static <T> Query set(
            Query query, Collection<? extends T> items, Function<? super T, Fence> fence) {
        return query.uuids("ids", items, item -> fence.apply(item).execution().uuid())
                .ints("parts", items, item -> fence.apply(item).execution().partition().number())
                .ints("attempts", items, item -> fence.apply(item).attempt())
                .longs("epochs", items, item -> fence.apply(item).epoch());
    }
}
