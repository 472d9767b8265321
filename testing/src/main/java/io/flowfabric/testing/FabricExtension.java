package io.flowfabric.testing;

import io.flowfabric.FabricOptions;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test of JUnit a {@link TestFabric} of its own, as a parameter of the test and of the
 * methods that run before and after it, and closes it when the test is over.
 *
 * <pre>{@code
 * @ExtendWith(FabricExtension.class)
 * class MailerTest {
 *     @Test
 *     void a_mail_is_sent(TestFabric test) throws Exception { ... }
 * }
 * }</pre>
 *
 * <p>With options it is registered as a field: {@code @RegisterExtension static final
 * FabricExtension FABRIC = new FabricExtension(options)}.
 */
public final class FabricExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace HERE =
            ExtensionContext.Namespace.create(FabricExtension.class);

    private final FabricOptions options;

    /** Fabrics with the default options. */
    public FabricExtension() {
        this(FabricOptions.DEFAULT);
    }

    /** Fabrics with other options. */
    public FabricExtension(FabricOptions options) {
        this.options = options;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestFabric.class;
    }

    /** JUnit closes what is stored when the test is over. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(HERE)
                .computeIfAbsent(
                        TestFabric.class, type -> new TestFabric(options), TestFabric.class);
    }
}
