package io.flowfabric.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamFrame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

class StreamReadingTest {
    @ParameterizedTest
    @EnumSource
    void an_attempt_is_closed_by_the_end_of_its_execution(Situation situation) {
        var closed = StreamReading.closed(1, 2, situation, LeasePurpose.CONTINUE);

        assertThat(closed.isPresent()).isEqualTo(situation.terminal());
        closed.ifPresent(end -> assertThat(end.name()).isEqualTo(situation.name()));
        assertThat(StreamReading.closed(2, 2, situation, LeasePurpose.CONTINUE))
                .as("one that never began")
                .isEqualTo(closed);
        assertThat(StreamReading.closed(0, 2, situation, LeasePurpose.CONTINUE))
                .as("one before it")
                .contains(StreamEnd.SUPERSEDED);
    }

    @ParameterizedTest
    @EnumSource
    void an_attempt_is_superseded_once_the_next_lease_begins_another(LeasePurpose next) {
        assertThat(StreamReading.closed(0, 1, Situation.READY, next).isPresent())
                .isEqualTo(next.startsAttempt());
        assertThat(StreamReading.closed(1, 1, Situation.READY, next))
                .as("the one that will begin")
                .isEmpty();
        assertThat(StreamReading.closed(0, 1, Situation.RUNNING, next))
                .as("while it runs, this is what it runs for")
                .isEmpty();
    }

    @Test
    void a_page_ends_where_it_is_full_and_says_where_to_go_on() {
        var frames = LongStream.of(3, 4, 9).mapToObj(StreamReadingTest::frame).toList();
        var range = FrameRange.from(2);

        var page = StreamReading.page(range, frames, 2, false, 10, Optional.empty());
        assertThat(page.frames()).isEqualTo(frames.subList(0, 2));
        assertThat(page.next()).isEqualTo(5);
        assertThat(page.more()).isTrue();

        var whole = StreamReading.page(range, frames, 3, false, 10, Optional.of(StreamEnd.FAILED));
        assertThat(whole.next()).isEqualTo(10);
        assertThat(whole.last()).isTrue();
        assertThat(StreamReading.page(range, frames, 3, true, 10, whole.closed()).last()).isFalse();
        assertThat(StreamReading.page(range, List.of(), 3, false, 2, Optional.empty()).next())
                .isEqualTo(2);
    }

    private static StreamFrame frame(long position) {
        return new StreamFrame(position, FrameMode.DURABLE, "said", Payload.EMPTY, Instant.EPOCH);
    }
}
