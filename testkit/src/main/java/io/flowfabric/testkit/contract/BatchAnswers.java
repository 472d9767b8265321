package io.flowfabric.testkit.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the defects of the original that would make this test fail: {@code P..} for those of its
 * Postgres store, {@code W..} for those of its Valkey store, as numbered in the reference.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface BatchAnswers {
    String[] value();
}
