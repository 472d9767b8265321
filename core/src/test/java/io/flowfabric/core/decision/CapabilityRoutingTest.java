package io.flowfabric.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Text;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

class CapabilityRoutingTest {
    private static final Lane EMAILS = Lane.of("emails");

    @Test
    void somebody_who_can_take_it_is_enough() {
        assertThat(obstacle("", worker(""))).isEmpty();
        assertThat(obstacle("gpu", worker(""), worker("gpu,tpu"))).isEmpty();
        assertThat(obstacle("torch>=2.3", worker("torch=2.4"))).isEmpty();
    }

    @Test
    void with_nobody_there_only_what_needs_something_says_so() {
        assertThat(obstacle("")).isEmpty();
        assertThat(obstacle("gpu,torch>=2.3"))
                .contains("needs gpu, torch>=2.3; no live worker in lane default/emails");
    }

    @Test
    void workers_of_other_lanes_and_namespaces_are_not_there() {
        var elsewhere = Session.of("w", "i", "letters").offers(Capabilities.of("gpu"));
        var stranger = worker("gpu").namespace(new Namespace("other"));

        assertThat(obstacle("gpu", elsewhere, stranger))
                .contains("needs gpu; no live worker in lane default/emails");
    }

    @Test
    void what_none_of_them_has_is_named() {
        assertThat(obstacle("gpu,torch>=2.3", worker("torch=2.4"), worker(""), worker("")))
                .contains(
                        "needs gpu, torch>=2.3; 3 live workers in lane default/emails, none has"
                                + " gpu");
        assertThat(obstacle("gpu,torch>=2.3", worker("torch=2.2")))
                .contains(
                        "needs gpu, torch>=2.3; 1 live worker in lane default/emails, which lacks"
                                + " gpu, torch>=2.3");
    }

    @Test
    void each_may_have_something_and_nobody_all() {
        assertThat(obstacle("gpu,tpu", worker("gpu"), worker("tpu")))
                .contains(
                        "needs gpu, tpu; 2 live workers in lane default/emails, none has all of"
                                + " it");
    }

    @Test
    void a_kind_that_nobody_handles_is_named() {
        assertThat(obstacle("", worker("").kinds("letter")))
                .contains(
                        "is of kind mail; 1 live worker in lane default/emails, which does not"
                                + " handle it");
        assertThat(obstacle("gpu", worker("").kinds("letter"), worker("gpu").kinds("fax")))
                .contains(
                        "is of kind mail; 2 live workers in lane default/emails, none handles it");
    }

    @Test
    void only_those_who_handle_the_kind_are_counted() {
        assertThat(obstacle("gpu", worker("").kinds("mail"), worker("gpu").kinds("fax")))
                .contains(
                        "needs gpu; 1 live worker for kind mail in lane default/emails, which lacks"
                                + " gpu");
    }

    @Test
    void it_stays_short_enough_to_be_read() {
        var words = IntStream.range(0, 250).mapToObj(i -> "capability-" + i).toList();
        var needs = String.join(",", words);

        var why = obstacle(needs, worker("")).orElseThrow();

        assertThat(Text.utf8Length(why)).isEqualTo(4096);
    }

    private static Optional<String> obstacle(String needs, Session... alive) {
        return CapabilityRouting.obstacle(
                EMAILS, "mail", Capabilities.parse(needs), List.of(alive));
    }

    private static Session worker(String offers) {
        return Session.of("w", "i", EMAILS.name()).offers(Capabilities.parse(offers));
    }
}
