package io.flowfabric.engine;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;

import java.util.SortedSet;
import java.util.stream.Stream;

/** Which work a session can see. Sessions of equal interest see the same. */
record Interest(
        Namespace namespace,
        SortedSet<String> lanes,
        SortedSet<String> kinds,
        Capabilities offers) {

    static Interest of(Session session) {
        return new Interest(
                session.namespace(), session.lanes(), session.kinds(), session.offers());
    }

    Stream<Lane> served() {
        return lanes.stream().map(name -> new Lane(namespace, name));
    }
}
