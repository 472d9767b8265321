package io.flowfabric.core.operate;

import io.flowfabric.core.Attribution;

import java.time.Instant;
import java.util.Optional;

/**
 * A key without its secret.
 *
 * @param retires when it is no longer believed; it never is, as long as it signs
 * @param by who made it, and why
 */
public record KeyView(String id, Instant made, Optional<Instant> retires, Attribution by) {}
