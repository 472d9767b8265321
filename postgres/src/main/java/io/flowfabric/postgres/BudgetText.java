package io.flowfabric.postgres;

import io.flowfabric.core.policy.BudgetUse;

import java.util.List;
import java.util.TreeMap;

/** A use of a budget as a gate keeps it: the budget, and what is set aside of each dimension. */
final class BudgetText {
    private BudgetText() {}

    static String write(BudgetUse use) {
        var text = new StringBuilder(use.budget());
        use.reserve()
                .forEach(
                        (dimension, amount) ->
                                text.append(TermsText.SEPARATOR)
                                        .append(dimension)
                                        .append(TermsText.SEPARATOR)
                                        .append(amount));
        return text.toString();
    }

    static BudgetUse read(String text) {
        var words = List.of(text.split(TermsText.SEPARATOR, -1));
        var reserve = new TreeMap<String, Long>();
        for (int i = 1; i + 1 < words.size(); i += 2) {
            reserve.put(words.get(i), Long.valueOf(words.get(i + 1)));
        }
        return new BudgetUse(words.getFirst(), reserve);
    }
}
