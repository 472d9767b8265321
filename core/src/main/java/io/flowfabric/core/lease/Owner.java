package io.flowfabric.core.lease;

import io.flowfabric.core.SessionId;

/** Whose lease it is, or was. */
public record Owner(SessionId session, String worker, String instance) {}
