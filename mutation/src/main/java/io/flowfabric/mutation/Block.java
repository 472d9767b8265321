package io.flowfabric.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A statement of a file, or a fragment that several statements take in.
 *
 * @param begin where its text begins in the file, behind the heading
 */
record Block(String file, String name, boolean fragment, int begin, int end, Set<String> takesIn) {
    private static final Pattern HEADING =
            Pattern.compile("^--[ \\t]*(name|fragment):[ \\t]*(\\S+)[ \\t]*$", Pattern.MULTILINE);
    private static final Pattern TAKEN_IN = Pattern.compile("\\$\\{>([^}]*)}");

    static List<Block> of(String file, String text) {
        var blocks = new ArrayList<Block>();
        var heading = HEADING.matcher(text);
        boolean more = heading.find();
        while (more) {
            var name = heading.group(2);
            boolean fragment = heading.group(1).equals("fragment");
            int begin = heading.end();
            more = heading.find();
            int end = more ? heading.start() : text.length();
            var takesIn =
                    TAKEN_IN.matcher(text.substring(begin, end))
                            .results()
                            .map(found -> found.group(1))
                            .collect(Collectors.toUnmodifiableSet());
            blocks.add(new Block(file, name, fragment, begin, end, takesIn));
        }
        return List.copyOf(blocks);
    }

    /** The statements that have this text in them: itself, or all that take it in. */
    Set<String> statements(List<Block> all) {
        var statements = new TreeSet<String>();
        if (!fragment) {
            statements.add(name);
            return statements;
        }
        for (var other : all) {
            if (other.takesIn.contains(name)) {
                statements.addAll(other.statements(all));
            }
        }
        return statements;
    }
}
