package io.flowfabric.core.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.stream.Append;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

class StreamDraftTest {
    private static final Fence FENCE = new Fence(ExecutionId.mint(), 0, 1);
    private static final Instant NOW = Instant.ofEpochMilli(1000);

    @Test
    void time_in_a_stream_does_not_go_back() {
        var later = Instant.ofEpochMilli(2000);
        var standing = new StreamStanding(1, 1, 4, 0, later, 0, "");
        var draft = new StreamDraft(standing, List.of(), NOW);

        assertThat(draft.append(said(1)).orThrow()).isEqualTo(2);

        assertThat(draft.added().getFirst().frame().at()).isEqualTo(later);
        assertThat(draft.after().at()).isEqualTo(later);
        assertThat(draft.before()).isEqualTo(standing);
    }

    @Test
    void durable_frames_are_so_many_and_so_large_at_most() {
        var full = new StreamStanding(7, (int) Limit.FRAMES.max(), 0, 0, NOW, 0, "");
        assertRefused(full, Invalid.Code.TOO_MANY);
        long room = Limit.STREAM_BYTES.max() - said(7).bytes();
        assertRefused(new StreamStanding(7, 1, room + 1, 0, NOW, 0, ""), Invalid.Code.TOO_LARGE);
        var fits = new StreamDraft(new StreamStanding(7, 1, room, 0, NOW, 0, ""), List.of(), NOW);
        assertThat(fits.append(said(7)).isDone()).isTrue();
        assertThat(fits.after().bytes()).isEqualTo(Limit.STREAM_BYTES.max());

        var live = new StreamDraft(full, List.of(), NOW);
        assertThat(live.append(Append.live(FENCE, 7, "l", Payload.EMPTY)).isDone()).isTrue();
        assertThat(live.after().passing()).isEqualTo(1);
    }

    private static void assertRefused(StreamStanding standing, Invalid.Code code) {
        var draft = new StreamDraft(standing, List.of(), NOW);
        assertThatThrownBy(() -> draft.append(said(7)).orThrow())
                .isInstanceOfSatisfying(
                        Invalid.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
        assertThat(draft.changed()).isFalse();
        assertThat(draft.after()).isEqualTo(standing);
    }

    @Test
    void more_live_frames_at_once_than_are_kept_leave_the_newest() {
        var draft = new StreamDraft(StreamStanding.EMPTY, List.of(), NOW);
        long window = Limit.LIVE_FRAMES.max();
        for (long n = 0; n < window + 3; n++) {
            draft.append(Append.live(FENCE, n, "l", Payload.EMPTY)).orThrow();
        }

        assertThat(draft.added()).hasSize((int) window);
        assertThat(draft.added().getFirst().frame().position()).isEqualTo(3);
        assertThat(draft.added().getFirst().number()).isEqualTo(4);
        assertThat(draft.after().gone()).isEqualTo(3);
    }

    @Test
    void a_refusal_names_the_position() {
        var draft = new StreamDraft(StreamStanding.EMPTY, List.of(), NOW);
        draft.append(said(0)).orThrow();

        assertThatThrownBy(() -> draft.append(said(5)).orThrow())
                .isInstanceOfSatisfying(
                        Conflict.class,
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(Conflict.Code.NOT_NEXT);
                            assertThat(refusal.existing()).isEqualTo("1");
                        })
                .hasMessageContaining("and not 5");
        var other = Append.durable(FENCE, 0, "said", Payload.text("other"));
        assertThatThrownBy(() -> draft.append(other).orThrow())
                .isInstanceOfSatisfying(
                        Conflict.class,
                        refusal ->
                                assertThat(refusal.code())
                                        .isEqualTo(Conflict.Code.APPENDED_DIFFERENTLY));
        assertThat(draft.append(said(0)).orThrow()).isEqualTo(1);
    }

    private static Append said(long position) {
        return Append.durable(FENCE, position, "said", Payload.text("hello"));
    }
}
