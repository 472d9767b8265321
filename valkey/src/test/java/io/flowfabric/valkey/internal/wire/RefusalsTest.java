package io.flowfabric.valkey.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker gives finished work up when it is told that its call is wrong: only then it is. */
class RefusalsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED 1 127.0.0.1:1",
                "ASK 1 127.0.0.1:1",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "MASTERDOWN Link with MASTER is down",
                "NOREPLICAS Not enough good replicas to write.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "MISCONF Errors writing to the AOF file",
                "ERR upstream failure",
                "ERR Error running function: Script killed by user with FUNCTION KILL.",
                "WHATEVER a later server says",
                "nonsense"
            })
    void what_passes_is_to_be_repeated(String said) {
        var failure = meaning(new RedisCommandExecutionException(said));

        assertThat(FlowFabricException.concernsRequest(failure)).as(said).isFalse();
        assertThat(failure).isInstanceOf(StoreFailure.class);
        assertThat(((StoreFailure) failure).mayHaveApplied()).as(said).isFalse();
        assertThat(((StoreFailure) failure).advice()).isEqualTo(Advice.REPEAT_LATER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "ERR user_function:1: bad argument script: f, on @user_function:1.",
                "ERR wrong number of arguments for 'fcall' command"
            })
    void what_is_wrong_with_the_request_is_final(String said) {
        var failure = meaning(new RedisCommandExecutionException(said));

        assertThat(FlowFabricException.concernsRequest(failure)).as(said).isTrue();
    }

    @Test
    void what_an_operator_has_to_mend_is_not_the_fault_of_a_request() {
        for (var said : new String[] {"NOPERM no", "NOAUTH no", "ERR unknown command 'FCALL'"}) {
            var failure = meaning(new RedisCommandExecutionException(said));
            assertThat(failure).as(said).isInstanceOf(Unavailable.class);
            assertThat(FlowFabricException.concernsRequest(failure)).isFalse();
        }
    }

    @Test
    void a_right_that_is_missing_while_connecting_is_named() {
        var failure =
                Refusals.connecting(
                        "The server", new RedisConnectionException("NOPERM this user has no..."));

        assertThat(failure).isInstanceOf(Unavailable.class).hasMessageContaining("Grant");
    }

    @Test
    void what_was_not_sent_was_not_applied_and_what_was_sent_may_have_been() {
        var unsent = meaning(new RedisConnectionException("Unable to connect to 127.0.0.1:1"));
        assertThat(((StoreFailure) unsent).mayHaveApplied()).isFalse();
        var sent = meaning(new RedisException("Connection disconnected"));
        assertThat(((StoreFailure) sent).mayHaveApplied()).isTrue();
    }

    private static RuntimeException meaning(RedisException e) {
        var meant = Refusals.of("The server", e);
        return meant instanceof Unprepared unprepared ? unprepared.failure() : meant;
    }
}
