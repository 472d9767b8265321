package io.flowfabric.core.state;

import io.flowfabric.core.PublicState;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The state table as it was decided, written out by hand: the rows of the original, without those
 * that were dropped on purpose ({@code submitted}, {@code lease_expired_reclaimable}, {@code
 * lease_revoked}), with the one that was added ({@code granted}).
 *
 * <p>It knows nothing of {@link Situation}: that is what it is compared with.
 */
public final class StateTable {
    // situation, phase, ownership, eligibility, blocking reason, outcome, attempts, public state
    private static final String ROWS =
            """
            ready             | runnable  | unowned | eligible_now            | waiting_for_worker         | none      | first retry replay interrupted | waiting
            granted           | runnable  | granted | eligible_now            | waiting_for_worker         | none      | first retry replay interrupted | waiting
            delayed           | runnable  | unowned | not_eligible_until_time | waiting_for_delay          | none      | first interrupted              | delayed
            backing_off       | runnable  | unowned | not_eligible_until_time | waiting_for_retry_backoff  | none      | retry                          | delayed
            resuming_later    | runnable  | unowned | not_eligible_until_time | waiting_for_resume_delay   | none      | interrupted                    | delayed
            awaiting_children | runnable  | unowned | blocked_by_dependencies | waiting_for_children       | none      | first interrupted replay       | waiting_children
            short_of_budget   | runnable  | unowned | blocked_by_budget       | waiting_for_budget         | none      | first retry replay interrupted | rate_limited
            over_quota        | runnable  | unowned | blocked_by_quota        | waiting_for_quota          | none      | first retry replay interrupted | rate_limited
            without_worker    | runnable  | unowned | blocked_by_route        | waiting_for_capable_worker | none      | first retry replay interrupted | waiting
            held_by_operator  | runnable  | unowned | blocked_by_operator     | paused_by_operator         | none      | first retry replay interrupted | waiting
            lane_closed       | runnable  | unowned | blocked_by_lane_state   | paused_by_policy           | none      | first retry replay interrupted | waiting
            running           | active    | leased  | not_applicable          | none                       | none      | running                        | active
            suspended         | suspended | unowned | not_applicable          | waiting_for_signal         | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | waiting_for_approval       | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | waiting_for_callback       | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | waiting_for_tool_result    | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | paused_by_operator         | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | paused_by_policy           | none      | interrupted                    | suspended
            suspended         | suspended | unowned | not_applicable          | waiting_for_budget         | none      | interrupted                    | suspended
            completed         | terminal  | unowned | not_applicable          | none                       | success   | terminal                       | completed
            failed            | terminal  | unowned | not_applicable          | none                       | failed    | terminal                       | failed
            cancelled         | terminal  | unowned | not_applicable          | none                       | cancelled | terminal first replay          | cancelled
            expired           | terminal  | unowned | not_applicable          | none                       | expired   | terminal first replay          | expired
            skipped           | terminal  | unowned | not_applicable          | none                       | skipped   | none terminal                  | skipped
            """;

    /** The attempts, as the table calls them. */
    private static final Map<String, String> ATTEMPTS =
            Map.of(
                    "none", "none",
                    "first", "pending_first_attempt",
                    "retry", "pending_retry_attempt",
                    "replay", "pending_replay_attempt",
                    "running", "running_attempt",
                    "interrupted", "attempt_interrupted",
                    "terminal", "attempt_terminal");

    /** What the table says about one legal vector. */
    public record Row(Situation situation, PublicState publicState) {}

    private StateTable() {}

    /** All legal vectors in their written form, in the order of the table. */
    public static Map<String, Row> vectors() {
        var vectors = new LinkedHashMap<String, Row>();
        for (var line : ROWS.lines().toList()) {
            var cells = words(line, "|");
            var row =
                    new Row(
                            Situation.valueOf(upper(cells.get(0))),
                            PublicState.valueOf(upper(cells.get(7))));
            for (var attempt : words(cells.get(6), " ")) {
                var columns = new ArrayList<>(cells.subList(1, 6));
                columns.add(ATTEMPTS.get(attempt));
                if (vectors.put(String.join("/", columns), row) != null) {
                    throw new AssertionError("the table has this row twice: " + columns);
                }
            }
        }
        return vectors;
    }

    private static List<String> words(String text, String separator) {
        return Stream.of(text.split(Pattern.quote(separator), -1)).map(String::strip).toList();
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
