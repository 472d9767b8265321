package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What work counts against, and where its reservations are set aside: a reservation of a budget
 * leads to the meter of its dimension, and to those of the budgets above.
 *
 * @param meters their numbers, each once
 */
public record Metering(List<Integer> meters, List<Lead> leads) {
    /** A reservation and a meter, by their places; the first is 1, as in arrays of the server. */
    public record Lead(int reservation, int meter) {}

    public Metering {
        meters = List.copyOf(meters);
        leads = List.copyOf(leads);
    }

    /** Reads the columns meters, lead_from and lead_to. */
    static Metering read(Row row) {
        var from = row.ints("lead_from");
        var to = row.ints("lead_to");
        return new Metering(
                List.of(row.ints("meters")),
                IntStream.range(0, from.length)
                        .mapToObj(nth -> new Lead(from[nth], to[nth]))
                        .toList());
    }

    /** The reservations that lead somewhere, as an array of the server. */
    public String leadFrom() {
        return RowCodec.array(leads.stream().map(Lead::reservation).toList());
    }

    /** Where they lead, as an array of the server. */
    public String leadTo() {
        return RowCodec.array(leads.stream().map(Lead::meter).toList());
    }

    /** Meters and leads while they are collected. */
    static final class Draft {
        private final List<Integer> meters = new ArrayList<>();
        private final List<Lead> leads = new ArrayList<>();

        /** Begins with what is known. */
        static Draft of(Metering known) {
            var draft = new Draft();
            draft.meters.addAll(known.meters);
            draft.leads.addAll(known.leads);
            return draft;
        }

        void count(int meter) {
            if (!meters.contains(meter)) {
                meters.add(meter);
            }
        }

        void count(List<BudgetDimension> chain) {
            chain.forEach(dimension -> count(dimension.meter()));
        }

        /** Sets a reservation aside wherever its dimension is counted. */
        void lead(int reservation, List<BudgetDimension> chain, String dimension) {
            for (BudgetDimension counted : chain) {
                if (counted.name().equals(dimension)) {
                    leads.add(new Lead(reservation, meters.indexOf(counted.meter()) + 1));
                }
            }
        }

        Metering done() {
            return new Metering(meters, leads);
        }
    }
}
