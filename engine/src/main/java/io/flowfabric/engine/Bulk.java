package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.store.Backend;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One act on every execution that fits a filter, or is on a list.
 *
 * <p>It goes through them in pieces, each a commit or a few. When it is interrupted, what was done
 * is done; run again, it acts on those that are left, because what was acted on fits no more or is
 * so already. What is submitted meanwhile may be among them.
 */
public final class Bulk {
    private static final int PIECE = (int) Limit.PAGE.max();

    /**
     * How far it is.
     *
     * @param seen how many fitted
     * @param done how many were acted on, or were so already
     * @param refused how many could not be acted on, because they had moved on or were gone
     */
    public record Progress(long seen, long done, long refused) {
        private static final Progress NONE = new Progress(0, 0, 0);

        private Progress plus(int more, int doneOfThem) {
            return new Progress(seen + more, done + doneOfThem, refused + more - doneOfThem);
        }
    }

    private final Backend backend;

    /** Acts on some, and answers for each. */
    private final Function<List<ExecutionId>, List<? extends Answer<?>>> act;

    private Bulk(Backend backend, Function<List<ExecutionId>, List<? extends Answer<?>>> act) {
        this.backend = backend;
        this.act = act;
    }

    /**
     * @param act what to do to each, such as {@code OperatorCommand.Cancel::new}
     */
    public Bulk(Backend backend, Function<ExecutionId, OperatorCommand> act, Attribution by) {
        this(
                backend,
                executions -> backend.operations().act(executions.stream().map(act).toList(), by));
    }

    /**
     * One signal to each. Give it a key, so that running again does not send it twice to those that
     * have received it.
     *
     * @param signal what to send to each
     */
    public static Bulk signal(Backend backend, Function<ExecutionId, Signal> signal) {
        return new Bulk(
                backend,
                executions -> backend.signals().send(executions.stream().map(signal).toList()));
    }

    /** A dry run: how many executions fit now. Nothing is changed. */
    public long count(Search search) {
        long count = 0;
        var after = Cursor.START;
        do {
            var page = backend.queries().search(search, after, PIECE);
            count += page.items().size();
            after = page.next();
        } while (!after.equals(Cursor.END));
        return count;
    }

    /**
     * Acts on whatever fits.
     *
     * @param watcher hears how far it is after each piece
     * @throws InterruptedException when the thread was interrupted; the watcher knows how far it
     *     came, but for the piece that was on its way
     */
    public Progress run(Search search, Consumer<Progress> watcher) throws InterruptedException {
        var progress = Progress.NONE;
        var after = Cursor.START;
        do {
            var from = after;
            var page = unlessInterrupted(() -> backend.queries().search(search, from, PIECE));
            progress =
                    piece(page.items().stream().map(ExecutionView::id).toList(), progress, watcher);
            after = page.next();
        } while (!after.equals(Cursor.END));
        return progress;
    }

    /** Acts on those on a list. */
    public Progress run(List<ExecutionId> executions, Consumer<Progress> watcher)
            throws InterruptedException {
        var progress = Progress.NONE;
        for (int from = 0; from < executions.size(); from += PIECE) {
            var piece = executions.subList(from, Math.min(executions.size(), from + PIECE));
            progress = piece(piece, progress, watcher);
        }
        return progress;
    }

    private Progress piece(
            List<ExecutionId> executions, Progress before, Consumer<Progress> watcher)
            throws InterruptedException {
        if (executions.isEmpty()) {
            return before;
        }
        int done = 0;
        for (var answer : unlessInterrupted(() -> act.apply(executions))) {
            done += isDone(answer) ? 1 : 0;
        }
        var progress = before.plus(executions.size(), done);
        watcher.accept(progress);
        return progress;
    }

    private static <T> T unlessInterrupted(Supplier<T> call) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return call.get();
        } catch (FlowFabricException trouble) {
            // An interrupt in the middle of a call costs the connection, or the wait for one.
            if (Thread.interrupted()) {
                var interrupted = new InterruptedException();
                interrupted.initCause(trouble);
                throw interrupted;
            }
            throw trouble;
        }
    }

    private static boolean isDone(Answer<?> answer) {
        return switch (answer) {
            case Answer.Done<?> done -> true;
            case Answer.Refused<?>(Conflict moved) -> false;
            case Answer.Refused<?>(NotFound gone) -> false;
            // It was told as often as it may be, or has as many waitpoints as it may have.
            case Answer.Refused<?>(Invalid full) -> false;
            // Anything else would be refused for all of them.
            case Answer.Refused<?>(FlowFabricException trouble) -> throw trouble;
        };
    }
}
