package io.flowfabric.core.flow;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;

import java.util.ArrayList;
import java.util.List;

/** A search through the members of a flow, over the pages on which they are listed. */
final class MemberSearch {
    private static final int PAGE = (int) Limit.PAGE.max();

    /** How many pages one call looks at. */
    private static final int PAGES = 4;

    private MemberSearch() {}

    /** The listing that is searched. */
    interface Listing {
        Page<MemberView> page(Cursor after, int max);
    }

    static Page<MemberView> page(Listing listing, MemberFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var found = new ArrayList<MemberView>();
        var at = after;
        for (int n = 0; n < PAGES; n++) {
            var page = listing.page(at, PAGE);
            int looked = room(page.items(), filter, max - found.size());
            page.items().stream().limit(looked).filter(filter::fits).forEach(found::add);
            // Only the store knows the place in the middle of its page.
            at = looked < page.items().size() ? listing.page(at, looked).next() : page.next();
            if (found.size() == max || at.equals(Cursor.END)) {
                break;
            }
        }
        return new Page<>(found, at);
    }

    /** How many of some members are looked at until so many of them fit. */
    private static int room(List<MemberView> members, MemberFilter filter, int max) {
        int fitting = 0;
        for (int n = 0; n < members.size(); n++) {
            fitting += filter.fits(members.get(n)) ? 1 : 0;
            if (fitting == max) {
                return n + 1;
            }
        }
        return members.size();
    }
}
