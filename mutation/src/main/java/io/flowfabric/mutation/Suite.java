package io.flowfabric.mutation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The tests of a module with its own classes, loaded anew: nothing is remembered of the changes
 * that were tried before.
 */
final class Suite implements AutoCloseable {
    /** Where all tests are. */
    private static final String PACKAGE = "io.flowfabric.postgres";

    /** What tests keep open for the next one, and its method that closes it. */
    private static final String KEEPER = PACKAGE + ".PostgresFixture";

    private static final String CLOSE = "closeAll";

    private final URLClassLoader loader;
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    /**
     * @param first where to look first: what is changed
     */
    Suite(Path module, List<Path> first) throws IOException {
        var places = new ArrayList<URL>();
        for (var place : first) {
            places.add(place.toUri().toURL());
        }
        places.add(module.resolve("target/classes").toUri().toURL());
        places.add(module.resolve("target/test-classes").toUri().toURL());
        loader = new URLClassLoader(places.toArray(URL[]::new), before);
        Thread.currentThread().setContextClassLoader(loader);
    }

    /** Runs everything, one test at a time. */
    void runAll(TestExecutionListener listener) {
        var all =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectPackage(PACKAGE))
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                        .build();
        LauncherFactory.create().execute(all, listener);
    }

    /** Runs some tests until one fails, and says which. */
    Optional<TestIdentifier> firstToFail(List<String> tests, TestExecutionListener listener) {
        var those =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(tests.stream().map(test -> selectUniqueId(test)).toList())
                        .build();
        var token = CancellationToken.create();
        var failed = new AtomicReference<Optional<TestIdentifier>>(Optional.empty());
        LauncherFactory.create()
                .execute(
                        LauncherExecutionRequestBuilder.request(those)
                                .cancellationToken(token)
                                .listeners(
                                        listener,
                                        new TestExecutionListener() {
                                            @Override
                                            public void executionFinished(
                                                    TestIdentifier test,
                                                    TestExecutionResult result) {
                                                if (result.getStatus()
                                                        == TestExecutionResult.Status.FAILED) {
                                                    failed.compareAndSet(
                                                            Optional.empty(), Optional.of(test));
                                                    token.cancel();
                                                }
                                            }
                                        })
                                .build());
        return failed.get();
    }

    @Override
    public void close() throws IOException {
        Thread.currentThread().setContextClassLoader(before);
        try {
            var close = loader.loadClass(KEEPER).getDeclaredMethod(CLOSE);
            close.setAccessible(true);
            close.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "The tests no longer have %s.%s.".formatted(KEEPER, CLOSE), e);
        } finally {
            loader.close();
        }
    }
}
