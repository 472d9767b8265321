package io.flowfabric.postgres;

import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Holds every change of a state row against the transition table, in the database itself: a commit
 * fails if an execution has another situation afterwards, and no event of the same transaction
 * names a transition that leads from the one to the other.
 *
 * <p>The fixture has it on, so the contract suite and the harness prove that all statements keep to
 * the table, those too that choose conditionally.
 */
final class TransitionGuard {
    private TransitionGuard() {}

    /** What switches the guard on in a schema; once more changes nothing. */
    static String sql(SchemaName schema) {
        return """
        create or replace function %1$s.guard_step() returns trigger language plpgsql as $$
        declare
            was text := case when tg_op = 'INSERT' then 'nothing' else old.situation::text end;
        begin
            if not exists (
                select from %1$s.event e
                where e.execution = new.id and e.xid::text = pg_current_xact_id()::text
                    and e.situation = new.situation
                    and was || ' ' || e.transition || ' ' || new.situation in (%2$s)
            ) then
                raise exception 'no step of the transition table leads from %% to %% for %%',
                    was, new.situation, new.id;
            end if;
            return null;
        end
        $$;
        drop trigger if exists guard_step on %1$s.execution;
        drop trigger if exists guard_begin on %1$s.execution;
        create constraint trigger guard_step after update on %1$s.execution
            deferrable initially deferred for each row
            when (old.situation <> new.situation)
            execute function %1$s.guard_step();
        create constraint trigger guard_begin after insert on %1$s.execution
            deferrable initially deferred for each row
            execute function %1$s.guard_step();
        """
                .formatted(schema.text(), legal().collect(Collectors.joining("', '", "'", "'")));
    }

    /** All rows of the table: {@code ready claim running}. */
    private static Stream<String> legal() {
        return Stream.concat(
                Transition.begins().stream().map(end -> row("nothing", Transition.SUBMIT, end)),
                Stream.of(Transition.values()).flatMap(TransitionGuard::rows));
    }

    private static Stream<String> rows(Transition step) {
        return step.starts().stream()
                .flatMap(
                        start ->
                                step.endsFrom(start).stream()
                                        .map(end -> row(word(start), step, end)));
    }

    private static String row(String start, Transition step, Situation end) {
        return start + " " + step.wire() + " " + word(end);
    }

    private static String word(Situation situation) {
        return situation.name().toLowerCase(Locale.ROOT);
    }
}
