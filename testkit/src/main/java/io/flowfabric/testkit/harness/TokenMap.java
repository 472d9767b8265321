package io.flowfabric.testkit.harness;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the tokens of two stores correspond: they say the same, and each bears the seal of its own
 * store. Whatever a role changes about a token is so changed for both.
 */
final class TokenMap {
    private static final Rotation FIRST = new Rotation("0000000f1257", Duration.ZERO);

    private final Map<String, String> ofModel = new HashMap<>();

    void begin(Store tested, Store model) {
        var by = new Attribution("ada", "to begin with");
        tested.keys().rotate(FIRST, by);
        model.keys().rotate(FIRST, by);
    }

    void pair(List<Grant> tested, List<Grant> model) {
        for (Grant grant : tested) {
            model.stream()
                    .filter(other -> other.execution().equals(grant.execution()))
                    .forEach(other -> ofModel.put(seal(grant.token()), seal(other.token())));
        }
    }

    /** The same text, as the model would have sealed it. */
    String ofModel(String text) {
        int dot = text.lastIndexOf('.');
        var seal = text.substring(dot + 1);
        return text.substring(0, dot + 1) + ofModel.getOrDefault(seal, seal);
    }

    private static String seal(String token) {
        return GrantToken.parse(token).seal();
    }
}
