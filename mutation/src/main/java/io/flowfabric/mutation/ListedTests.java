package io.flowfabric.mutation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.pitest.classinfo.ClassByteArraySource;
import org.pitest.help.PitHelpError;
import org.pitest.junit5.JUnit5TestUnit;
import org.pitest.testapi.Configuration;
import org.pitest.testapi.NullExecutionListener;
import org.pitest.testapi.TestGroupConfig;
import org.pitest.testapi.TestPluginFactory;
import org.pitest.testapi.TestSuiteFinder;
import org.pitest.testapi.TestUnit;
import org.pitest.testapi.TestUnitExecutionListener;
import org.pitest.testapi.TestUnitFinder;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The tests of a class, for PIT, without running them.
 *
 * <p>PIT's own plugin for JUnit finds tests by running them. It needs that once, to learn what they
 * cover. But it does so again in each process that tries the changes of a class: it runs all tests
 * of every test class that could notice one, before it tries the first. Only those classes are left
 * to it whose tests are made while they run.
 */
public final class ListedTests implements TestPluginFactory {
    /** Before that of PIT's own plugin, which is asked where this one lists nothing. */
    private static final int FIRST = Configuration.DEFAULT_PRIORITY - 1;

    /** For PIT, which finds it as a service. */
    public ListedTests() {}

    @Override
    public String name() {
        return "flowfabric";
    }

    @Override
    public String description() {
        return "JUnit tests that are listed without running them";
    }

    @Override
    public Configuration createTestFrameworkConfiguration(
            TestGroupConfig groups,
            ClassByteArraySource source,
            Collection<String> excludedRunners,
            Collection<String> includedTestMethods) {
        return new ListedConfiguration();
    }

    private static final class ListedConfiguration implements Configuration {
        @Override
        public int priority() {
            return FIRST;
        }

        @Override
        public TestUnitFinder testUnitFinder() {
            return ListedTests::find;
        }

        @Override
        public TestSuiteFinder testSuiteFinder() {
            return suite -> List.of();
        }

        @Override
        public Optional<PitHelpError> verifyEnvironment() {
            return Optional.empty();
        }
    }

    static List<TestUnit> find(Class<?> tests, TestUnitExecutionListener listener) {
        // Who listens wants to hear of runs. A nested class is listed with its outer one.
        boolean runs = !(listener instanceof NullExecutionListener);
        if (runs || tests.getEnclosingClass() != null) {
            return List.of();
        }
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests));
        var plan = LauncherFactory.create().discover(request.build());
        var all =
                plan.getRoots().stream()
                        .flatMap(root -> plan.getDescendants(root).stream())
                        .toList();
        if (all.stream().anyMatch(ListedTests::makesTests)) {
            return List.of();
        }
        return all.stream()
                .filter(TestIdentifier::isTest)
                .<TestUnit>map(test -> new JUnit5TestUnit(tests, test))
                .toList();
    }

    private static boolean makesTests(TestIdentifier one) {
        return one.isContainer() && one.getSource().orElse(null) instanceof MethodSource;
    }
}
