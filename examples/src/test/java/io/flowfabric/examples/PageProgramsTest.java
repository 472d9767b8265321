package io.flowfabric.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.Work;
import io.flowfabric.WorkFailed;
import io.flowfabric.core.Payload;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import javax.crypto.spec.SecretKeySpec;

/** What the pages say of their programs is so. */
@Timeout(60)
class PageProgramsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final FlowFabric fabric = SharedDatabase.FABRIC;

    /** The systems of the shop, which write down what they were asked for. */
    private static final class Shop implements Checkout.Systems {
        private final List<String> asked = new CopyOnWriteArrayList<>();
        private final LinkedBlockingQueue<String> tokens = new LinkedBlockingQueue<>();

        @Override
        public String reserve(Checkout.Order order) {
            asked.add("reserve " + order.item());
            return "reservation " + order.id();
        }

        @Override
        public void release(String reservation) {
            asked.add("release " + reservation);
        }

        @Override
        public void askManager(Checkout.Order order, String token) {
            asked.add("ask");
            tokens.add(token);
        }

        @Override
        public String ship(Checkout.Order order, String carrier) {
            asked.add("ship by " + carrier);
            return "tracked";
        }
    }

    @Test
    void the_checkout_of_the_page_about_durable_code_does_each_thing_once_and_undoes_it()
            throws Exception {
        var shop = new Shop();
        new Checkout(shop).start(fabric);

        var order = fabric.submit(Checkout.ORDER.with(new Checkout.Order("1", "piano", 500_000)));
        order.signal("paid", new Checkout.Payment("bank 17"));
        fabric.approve(shop.tokens.take(), "ada");
        assertThat(order.await(SOON)).isEqualTo("piano packed, tracked, bank 17");
        assertThat(shop.asked).containsExactly("reserve piano", "ask", "ship by bicycle");

        shop.asked.clear();
        var refused = fabric.submit(Checkout.ORDER.with(new Checkout.Order("2", "boat", 500_000)));
        refused.signal("paid", new Checkout.Payment("bank 18"));
        fabric.reject(shop.tokens.take(), "ada");
        assertThatThrownBy(() -> refused.await(SOON)).hasMessageContaining("Refused by [ada]");
        assertThat(shop.asked).containsExactly("reserve boat", "ask", "release reservation 2");
    }

    @Test
    void the_mails_of_the_page_about_handlers_are_retried_by_class() throws Exception {
        var calls = new AtomicInteger();
        var worker =
                MailWorker.start(
                        fabric,
                        (mail, id) -> {
                            calls.incrementAndGet();
                            if (mail.to().isEmpty()) {
                                throw new IllegalArgumentException("no address");
                            }
                            return new MailWorker.Receipt(mail.to());
                        });

        assertThat(
                        fabric.submit(MailWorker.MAIL.with(new MailWorker.Mail("ada", "hi")))
                                .await(SOON))
                .isEqualTo(new MailWorker.Receipt("ada"));
        var wrong = fabric.submit(MailWorker.MAIL.with(new MailWorker.Mail("", "hi")));
        assertThatThrownBy(() -> wrong.await(SOON)).isInstanceOf(WorkFailed.class);
        assertThat(calls).hasValue(2);
        worker.stop();
    }

    @Test
    void annotated_handlers_are_found_by_the_names_of_kinds() throws Exception {
        var worker = ShopHandlers.start(fabric);
        var tea = new ShopHandlers.Item("tea", 3);

        assertThat(fabric.submit(Work.of("price", tea).lane("shop")).await(SOON).asText())
                .isEqualTo("300");
        assertThat(fabric.submit(Work.of("restock", tea).lane("shop")).await(SOON).asText())
                .isEqualTo("\"3 more of tea\"");
        worker.stop();
    }

    @Test
    void sealed_payloads_are_read_again_and_show_nothing() {
        var codec = SealedPayloads.options(new SecretKeySpec(new byte[32], "AES")).codec();
        var plain = FabricOptions.DEFAULT.codec();
        var tea = new ShopHandlers.Item("tea", 3);

        var sealed = codec.encode(tea);
        assertThat(sealed.asText()).doesNotContain("tea");
        assertThat(codec.decode(sealed, ShopHandlers.Item.class)).isEqualTo(tea);
        assertThat(codec.decode(plain.encode(tea), ShopHandlers.Item.class)).isEqualTo(tea);
        assertThat(codec.decode(codec.encode(null), ShopHandlers.Item.class)).isNull();
        assertThat(codec.decode(Payload.EMPTY, ShopHandlers.Item.class)).isNull();
    }

    @Test
    void calls_that_are_busy_are_made_again_and_others_are_not() throws Exception {
        var calls = new AtomicInteger();
        var worker =
                PatientCalls.start(
                        fabric,
                        request ->
                                request.equals("no")
                                        ? 403
                                        : calls.incrementAndGet() < 3 ? 429 : 200);

        assertThat(PatientCalls.urgent(fabric, "yes").await(SOON)).isEqualTo(200);
        assertThat(calls).hasValue(3);
        var no = PatientCalls.urgent(fabric, "no");
        assertThatThrownBy(() -> no.await(SOON)).hasMessageContaining("It said 403");
        worker.stop();
    }

    @Test
    void those_who_come_from_elsewhere_find_their_work_done() throws Exception {
        assertThat(ByHand.run(fabric)).isEqualTo("HELLO");

        var workers =
                List.of(
                        OnceAndDaily.start(fabric),
                        BackgroundMails.start(fabric),
                        ReportJob.start(fabric));
        WorkerProgram.start(fabric);
        OnceAndDaily.in(fabric, Duration.ofMillis(10), "ada").await(SOON);
        assertThat(BackgroundMails.enqueue(fabric, "Ada").await(SOON)).isEqualTo("Hello Ada");
        var report = new ReportJob.Report("May", "euros");
        assertThat(ReportJob.at(fabric, Instant.now(), report).await(SOON))
                .isEqualTo("May in euros");
        assertThat(fabric.submit(WorkerProgram.RENDER.with("Metropolis")).await(SOON))
                .isEqualTo("Metropolis, rendered");
        workers.forEach(worker -> worker.stop());
    }
}
