package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied.Code;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.testkit.StoreFixture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Rules 12 and 13: a token is worth something only with the seal of a key that is believed, in its
 * time, to whom it was given, once. Everything else is refused by its name, and changes nothing.
 */
abstract class SigningRules extends Rules {
    private static final Duration TTL = Grants.DEFAULT_TTL;
    private static final Duration HOUR = Duration.ofHours(1);

    /** How many tokens one call takes. */
    private static final int MOST_AT_ONCE = 256;

    /** Who was granted something last. */
    private @Nullable ScenarioWorker holder;

    SigningRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    // Keys.

    @Test
    @BatchAnswers({"P12", "P42"})
    void without_a_key_nothing_is_granted_and_nothing_believed() {
        var id = world.submit();
        var worker = world.worker();
        var foreign = foreignToken(worker);
        var before = world.everything();

        assertThat(world.store().keys().list()).isEmpty();
        assertThat(asked(() -> worker.granted(1, TTL))).isUnavailable();
        assertThat(worker.reclaim(id)).isUnavailable();
        assertThat(worker.redeemAll(List.of(foreign)).getFirst()).isDenied(Code.UNKNOWN_KEY);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.worker().take(1)).containsExactly(id);
    }

    @Test
    void the_first_key_is_made_once() {
        var keys = world.store().keys();
        var made = keys.first();

        assertThat(made.made()).isEqualTo(world.now());
        assertThat(made.retires()).isEmpty();
        assertThat(made.by().actor()).isEqualTo(Attribution.ENGINE);
        assertThat(keys.first()).isEqualTo(made);
        assertThat(keys.list()).containsExactly(made);
    }

    @Test
    void a_rotation_signs_with_another_key_and_retires_the_one_before() {
        var keys = world.store().keys();
        var first = keys.first();
        world.advance(HOUR);
        var rotation = Rotation.after(HOUR);

        var second = keys.rotate(rotation, Scenario.OLGA);

        assertThat(second)
                .isEqualTo(
                        new KeyView(rotation.id(), world.now(), Optional.empty(), Scenario.OLGA));
        assertThat(keys.list())
                .containsExactly(
                        second,
                        new KeyView(
                                first.id(), first.made(), Optional.of(world.in(HOUR)), first.by()));
        assertThat(keys.first()).isEqualTo(second);
    }

    @Test
    void the_same_rotation_again_changes_nothing() {
        var keys = world.store().keys();
        keys.first();
        var rotation = Rotation.after(HOUR);
        var second = keys.rotate(rotation, Scenario.OLGA);
        var before = keys.list();
        world.advance(HOUR.dividedBy(2));

        assertThat(keys.rotate(rotation, Scenario.OLGA)).isEqualTo(second);
        assertThat(keys.list()).isEqualTo(before);
    }

    /** R30. */
    @Test
    void a_rotation_is_told_among_the_operations_and_once() {
        world.store().keys().first();
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var rotation = Rotation.after(Duration.ofMinutes(1));

        world.store().keys().rotate(rotation, Scenario.OLGA);
        world.store().keys().rotate(rotation, Scenario.OLGA);

        assertThat(feed.read())
                .containsExactly(
                        new Event.KeyRotation(
                                rotation.id(), rotation.grace(), Scenario.OLGA, world.now()));
    }

    @Test
    void a_rotation_forgets_keys_whose_grace_was_over() {
        var keys = world.store().keys();
        keys.first();
        var second = keys.rotate(Rotation.after(HOUR), Scenario.OLGA);
        world.advance(HOUR);

        var third = keys.rotate(Rotation.after(HOUR), Scenario.OLGA);

        assertThat(keys.list()).extracting(KeyView::id).containsExactly(third.id(), second.id());
    }

    @Test
    void a_rotation_of_an_empty_keystore_makes_the_first_key() {
        var made = world.store().keys().rotate(Rotation.after(HOUR), Scenario.OLGA);

        assertThat(world.store().keys().list()).containsExactly(made);
    }

    @Test
    void what_is_no_key_id_or_no_grace_is_refused() {
        assertThat(asked(() -> new Rotation("not an id", HOUR)))
                .isInvalid(Invalid.Code.MALFORMED_ID);
        assertThat(asked(() -> Rotation.after(Duration.ofMillis(-1))))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
    }

    @Test
    void a_token_of_a_rotated_key_is_believed_for_its_grace_and_no_longer() {
        var grants = granted(2);
        world.store().keys().rotate(Rotation.after(Duration.ofSeconds(10)), Scenario.OLGA);

        world.advance(Duration.ofSeconds(10).minusMillis(1));
        assertThat(worker().redeem(grants.getFirst())).isDone();
        world.advance(Duration.ofMillis(1));
        refused(grants.getLast().token(), Code.UNKNOWN_KEY);
    }

    @Test
    void a_key_that_became_known_is_worth_nothing_at_once() {
        var grant = granted();
        world.store().keys().rotate(Rotation.after(Duration.ZERO), Scenario.OLGA);

        refused(grant.token(), Code.UNKNOWN_KEY);

        world.pass(TTL);
        assertThat(worker().redeem(worker().grantedOne())).isDone();
    }

    @Test
    void a_repeated_claim_is_signed_with_the_key_that_signs_now() {
        var grant = granted();
        world.store().keys().rotate(Rotation.after(Duration.ZERO), Scenario.OLGA);

        var again = worker().repeatGranted(1, TTL).getFirst();

        assertThat(again.token()).isNotEqualTo(grant.token());
        assertThat(worker().redeem(again)).isDone();
    }

    // Tokens.

    @Test
    void what_is_no_token_is_malformed() {
        var token = granted().token();
        var texts =
                List.of(
                        "",
                        " ",
                        "nonsense",
                        "x".repeat(1 << 16),
                        token + " ",
                        " " + token,
                        token + ".",
                        token.replace("ffg1", "ffg2"),
                        token.replace('.', ':'),
                        token.substring(0, token.length() - 1),
                        token.toUpperCase(Locale.ROOT),
                        token + token,
                        token.replaceFirst("\\.[0-9]+\\.", ".256."),
                        token.replaceFirst("\\.[0-9]+\\.", ".007."));

        refused(texts, Code.MALFORMED_TOKEN);
    }

    @Test
    @BatchAnswers("P3")
    void a_token_that_was_changed_anywhere_is_refused() {
        var token = granted().token();
        var before = world.everything();
        var changed = new ArrayList<String>();
        for (int i = 0; i < token.length(); i++) {
            for (char other : new char[] {'0', '1', 'a', 'f', 'Z', '-', '.'}) {
                if (token.charAt(i) != other) {
                    changed.add(token.substring(0, i) + other + token.substring(i + 1));
                }
            }
        }

        for (int i = 0; i < changed.size(); i += MOST_AT_ONCE) {
            var some = changed.subList(i, Math.min(i + MOST_AT_ONCE, changed.size()));
            assertThat(worker().redeemAll(some)).noneMatch(Answer::isDone);
        }

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_token_that_says_more_than_its_key_has_sealed_has_a_bad_signature() {
        var grant = granted();
        var token = GrantToken.parse(grant.token());

        refused(changed(token, token.execution(), token.session(), 60_000), Code.BAD_SIGNATURE);
        refused(changed(token, Given.unknown(), token.session(), 0), Code.BAD_SIGNATURE);
        refused(changed(token, token.execution(), SessionId.mint(), 0), Code.BAD_SIGNATURE);
    }

    @Test
    void a_token_of_a_key_that_was_never_here_is_refused() {
        granted();

        refused(foreignToken(worker()), Code.UNKNOWN_KEY);
    }

    @Test
    void a_forged_token_under_the_name_of_a_known_key_has_a_bad_signature() {
        var grant = granted();
        var known = world.store().keys().first().id();
        var forged =
                GrantToken.sign(
                        SigningKey.mint(known),
                        grant.execution(),
                        GrantToken.parse(grant.token()).epoch(),
                        grant.session(),
                        grant.until());

        refused(forged.text(), Code.BAD_SIGNATURE);
    }

    @Test
    void a_token_is_expired_by_the_clock_of_the_store_also_before_anybody_has_noticed() {
        var grant = granted();
        world.advance(TTL.minusMillis(1));
        assertThat(worker().verify(grant.token())).isDone(grant);

        world.advance(Duration.ofMillis(1));

        refused(grant.token(), Code.TOKEN_EXPIRED);
        assertThat(world.view(grant.execution()).state()).isInstanceOf(Granted.class);
    }

    @Test
    void a_token_is_good_once() {
        var grant = granted();
        var lease = worker().redeem(grant).orThrow();

        refused(grant.token(), Code.UNKNOWN_GRANT);

        world.end(complete(lease)).orThrow();
        refused(grant.token(), Code.UNKNOWN_GRANT);
    }

    @Test
    void a_token_is_good_for_whom_it_was_given_to() {
        var grant = granted();
        var before = world.everything();
        var thief = world.worker();

        assertThat(thief.redeem(grant)).isDenied(Code.UNKNOWN_GRANT);
        assertThat(thief.verify(grant.token())).isDenied(Code.UNKNOWN_GRANT);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(worker().redeem(grant)).isDone();
    }

    @Test
    void a_token_of_a_grant_that_was_withdrawn_and_given_again_is_no_more() {
        var grant = granted();
        world.revoke(grant.execution());
        world.advance(Duration.ofSeconds(1));
        var second = worker().grantedOne();
        assertThat(second.execution()).isEqualTo(grant.execution());

        refused(grant.token(), Code.UNKNOWN_GRANT);
        assertThat(idOf(worker().redeem(second).orThrow())).isEqualTo(grant.execution());
    }

    @Test
    void a_token_of_work_that_is_gone_is_refused() {
        var grant = granted();
        world.cancel(grant.execution());
        world.store().operations().erase(List.of(grant.execution()), Scenario.OLGA);

        refused(grant.token(), Code.UNKNOWN_GRANT);
    }

    @Test
    void verifying_changes_nothing() {
        var grant = granted();
        var before = world.everything();

        assertThat(worker().verify(grant.token())).isDone(grant);
        assertThat(worker().verify(grant.token())).isDone(grant);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(worker().redeem(grant)).isDone();
    }

    @Test
    void neither_a_grant_nor_its_token_shows_the_seal_where_it_is_printed() {
        var grant = granted();
        var seal = GrantToken.parse(grant.token()).seal();

        assertThat(grant.toString()).doesNotContain(seal);
        assertThat(GrantToken.parse(grant.token()).toString()).doesNotContain(seal);
    }

    private ScenarioWorker worker() {
        return Objects.requireNonNull(holder);
    }

    private Grant granted() {
        return granted(1).getFirst();
    }

    private List<Grant> granted(int count) {
        world.store().keys().first();
        world.submit(count, Given::work);
        holder = world.worker();
        return worker().granted(count, TTL);
    }

    /** Refused when redeemed and when verified, by the same name, and without a trace. */
    private void refused(String token, Code code) {
        refused(List.of(token), code);
    }

    private void refused(List<String> tokens, Code code) {
        var before = world.everything();

        var answers = worker().redeemAll(tokens);
        for (int i = 0; i < tokens.size(); i++) {
            assertThat(answers.get(i)).as(tokens.get(i)).isDenied(code);
            assertThat(worker().verify(tokens.get(i))).as(tokens.get(i)).isDenied(code);
        }

        assertThat(world.everything()).isEqualTo(before);
    }

    /** A token that another store has signed. */
    private String foreignToken(ScenarioWorker bearer) {
        return GrantToken.sign(
                        SigningKey.mint(SigningKey.mintId()),
                        world.submit(),
                        1,
                        bearer.session().id(),
                        world.in(TTL))
                .text();
    }

    private static String changed(
            GrantToken token, ExecutionId execution, SessionId session, long later) {
        return new GrantToken(
                        token.key(),
                        execution,
                        token.epoch(),
                        session,
                        token.until().plusMillis(later),
                        token.seal())
                .text();
    }
}
