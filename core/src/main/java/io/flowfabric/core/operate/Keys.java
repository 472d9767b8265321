package io.flowfabric.core.operate;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.policy.Durations;
import io.flowfabric.core.signing.SigningKey;

import java.time.Duration;
import java.util.List;

/**
 * The keys that sign what is handed to outsiders. There is one that signs; those before it are
 * believed until their grace is over. As long as there is none, nothing is signed or believed.
 */
public interface Keys {
    /**
     * A change of the key that signs.
     *
     * @param id the name of the new key, minted by the caller so that the call can be repeated
     * @param grace how long the key before it is believed from now on; none at all when it has
     *     become known outside
     */
    record Rotation(String id, Duration grace) {
        public Rotation {
            SigningKey.checkedId(id);
            grace = Durations.checked("grace", 0, grace);
        }

        /** A change to a key of a new name. */
        public static Rotation after(Duration grace) {
            return new Rotation(SigningKey.mintId(), grace);
        }
    }

    /** Makes the first key, unless there is one. Engines do so when they start. */
    KeyView first();

    /**
     * Signs with a new key from now on. The same rotation again changes nothing. Keys whose grace
     * was over before are forgotten.
     */
    KeyView rotate(Rotation rotation, Attribution by);

    /** The keys that are kept, the newest first, without their secrets. */
    List<KeyView> list();
}
