package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FlowIdTest {
    private static final Namespace SHOP = new Namespace("shop");

    @Test
    void a_minted_id_lies_with_its_namespace() {
        var id = FlowId.mint(SHOP);

        assertThat(id.partition()).isEqualTo(Partition.of(SHOP));
        assertThat(FlowId.of(id.uuid())).isEqualTo(id);
        assertThat(FlowId.parse(id.toString())).isEqualTo(id);
        assertThat(FlowId.mint(SHOP)).isNotEqualTo(id);
    }

    @Test
    void a_key_is_always_the_same_id_of_its_namespace() {
        var id = FlowId.of(SHOP, "nightly");

        assertThat(FlowId.of(SHOP, "nightly")).isEqualTo(id);
        assertThat(FlowId.of(SHOP, "weekly")).isNotEqualTo(id);
        assertThat(FlowId.of(Namespace.DEFAULT, "nightly")).isNotEqualTo(id);
        assertThat(id.partition()).isEqualTo(Partition.of(SHOP));
        assertThat(id.uuid().version()).isEqualTo(8);
        assertThat(id.uuid().variant()).isEqualTo(2);
    }

    @Test
    void a_key_is_a_name() {
        assertThatThrownBy(() -> FlowId.of(SHOP, "")).isInstanceOf(Invalid.class);
    }
}
