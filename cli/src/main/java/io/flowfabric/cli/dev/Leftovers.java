package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.Screen;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Store;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a run left behind that was stopped, or killed, before its end. */
final class Leftovers {
    private static final int PAGE = 500;
    private static final Attribution BY =
            new Attribution(Fate.CREATOR, "the run that it belongs to was stopped before its end");

    private Leftovers() {}

    /** Calls it off: some of it would keep the workers of this run busy for minutes. */
    static void cancel(Store store, Screen screen) {
        var open =
                Stream.of(PublicState.values())
                        .filter(Predicate.not(PublicState::terminal))
                        .toArray(PublicState[]::new);
        var search = Search.in(Namespace.DEFAULT).states(open);
        var cursor = Cursor.START;
        long count = 0;
        do {
            var page = store.queries().search(search, cursor, PAGE);
            var acts = page.items().stream().filter(Leftovers::ours).map(Leftovers::cancel);
            count += cancel(store, acts.toList());
            cursor = page.next();
        } while (!cursor.equals(Cursor.END));
        if (count > 0) {
            screen.say("%d executions of a run that was stopped are cancelled.".formatted(count));
        }
    }

    private static boolean ours(ExecutionView view) {
        return view.creator().equals(Fate.CREATOR);
    }

    private static OperatorCommand cancel(ExecutionView view) {
        return new OperatorCommand.Cancel(view.id());
    }

    private static int cancel(Store store, List<OperatorCommand> acts) {
        // One that ended by itself meanwhile is refused, and that is as good.
        return acts.isEmpty() ? 0 : store.operations().act(acts, BY).size();
    }
}
