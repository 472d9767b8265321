import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts the functions of the Valkey store together: the files that {@code library.txt} lists, in
 * that order, with the numbers of {@code constants.lua} in place of their names and without
 * comments. The build stops at a name that was never declared, and at a command on a key that a
 * call does not declare.
 *
 * <p>Arguments: the folder of the files, and the folder that the library is written to.
 */
final class Lua {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "(?<comment>--[^\n]*)"
                            + "|(?<text>'(?:[^'\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\n]|\\\\.)*\")"
                            + "|(?<name>[A-Za-z_][A-Za-z0-9_]*)"
                            + "|(?<number>[0-9][0-9a-fA-FxX.]*)"
                            + "|(?<space>\\s+)"
                            + "|(?<sign>\\.\\.\\.|\\.\\.|==|~=|<=|>=|[-+*/%^#<>=(){}\\[\\];:,.])");

    private static final Pattern CONSTANT = Pattern.compile("([A-Z][A-Z_]*) = (-?[0-9]+)");

    /** What the language and the server provide inside a function. */
    private static final Set<String> PROVIDED =
            Set.of(
                    "redis",
                    "cmsgpack",
                    "struct",
                    "string",
                    "math",
                    "table",
                    "next",
                    "pairs",
                    "tonumber",
                    "tostring",
                    "type",
                    "unpack",
                    "pcall",
                    "error");

    private static final Set<String> KEYWORDS =
            Set.of(
                    "and",
                    "break",
                    "do",
                    "else",
                    "elseif",
                    "end",
                    "false",
                    "for",
                    "function",
                    "if",
                    "in",
                    "local",
                    "nil",
                    "not",
                    "or",
                    "repeat",
                    "return",
                    "then",
                    "true",
                    "until",
                    "while");

    /** The files whose local names can be seen in those that follow. */
    private static final Set<String> SEEN_EVERYWHERE =
            Set.of("modules.lua", "keys.lua", "functions.lua");

    private record Token(String kind, String text, String file, int line) {
        boolean is(String other) {
            return text.equals(other) && !kind.equals("text");
        }
    }

    public static void main(String[] words) throws IOException {
        var folder = Path.of(words[0]);
        var constants = constants(Files.readString(folder.resolve("constants.lua")));
        var tokens = new ArrayList<Token>();
        for (var file : Files.readAllLines(folder.resolve("library.txt"))) {
            var some = tokens(file, Files.readString(folder.resolve(file)), constants);
            tokens.addAll(SEEN_EVERYWHERE.contains(file) ? some : block(file, some));
        }
        checkNames(tokens);
        checkMembers(tokens);
        checkKeys(tokens);
        var body = written(tokens);
        var version = digest(body).substring(0, 12);
        var name = "flowfabric_" + version;
        var target = Path.of(words[1]);
        Files.createDirectories(target);
        Files.writeString(
                target.resolve("library.lua"),
                "#!lua name=" + name + "\n" + body.replace("${library}", name));
        Files.writeString(target.resolve("version"), version + "\n");
    }

    private static Map<String, String> constants(String text) {
        var constants = new HashMap<String, String>();
        text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("--"))
                .forEach(
                        line -> {
                            var found = CONSTANT.matcher(line);
                            if (!found.matches()
                                    || constants.put(found.group(1), found.group(2)) != null) {
                                throw new IllegalArgumentException("constants.lua: " + line);
                            }
                        });
        return constants;
    }

    private static List<Token> tokens(String file, String text, Map<String, String> constants) {
        var tokens = new ArrayList<Token>();
        Matcher found = TOKEN.matcher(text);
        int at = 0;
        int line = 1;
        while (at < text.length()) {
            if (!found.find(at) || found.start() != at) {
                throw new IllegalArgumentException("%s:%d: this is no Lua".formatted(file, line));
            }
            var word = found.group();
            var kind = kind(found);
            if (kind.equals("name") && constants.containsKey(word)) {
                kind = "number";
                word = constants.get(word);
            }
            tokens.add(new Token(kind, word, file, line));
            line += (int) word.chars().filter(c -> c == '\n').count();
            at = found.end();
        }
        return tokens;
    }

    /**
     * A file as a block: its local names are its own. The language has room for two hundred that
     * can be seen everywhere.
     */
    private static List<Token> block(String file, List<Token> tokens) {
        var block = new ArrayList<Token>();
        block.add(new Token("name", "do", file, 0));
        block.add(new Token("space", "\n", file, 0));
        block.addAll(tokens);
        block.add(new Token("name", "end", file, 0));
        block.add(new Token("space", "\n", file, 0));
        return block;
    }

    private static String kind(Matcher found) {
        for (var kind : List.of("comment", "text", "name", "number", "space", "sign")) {
            if (found.group(kind) != null) {
                return kind;
            }
        }
        throw new IllegalStateException();
    }

    /** Every name that is used was declared where it can be seen. */
    private static void checkNames(List<Token> all) {
        var tokens =
                all.stream()
                        .filter(t -> !t.kind.equals("space") && !t.kind.equals("comment"))
                        .toList();
        Deque<Set<String>> scopes = new ArrayDeque<>();
        scopes.push(new HashSet<>(PROVIDED));
        var loopNames = new HashSet<String>();
        for (int i = 0; i < tokens.size(); i++) {
            var token = tokens.get(i);
            if (!token.kind.equals("name")) {
                continue;
            }
            var before = i == 0 ? "" : tokens.get(i - 1).text;
            switch (token.text) {
                case "local" -> {
                    boolean function = tokens.get(i + 1).is("function");
                    int at = function ? i + 2 : i + 1;
                    scopes.getFirst().add(tokens.get(at).text);
                    while (!function && tokens.get(at + 1).is(",")) {
                        at += 2;
                        scopes.getFirst().add(tokens.get(at).text);
                    }
                }
                case "for" -> {
                    int at = i + 1;
                    while (!tokens.get(at).is("in") && !tokens.get(at).is("=")) {
                        if (tokens.get(at).kind.equals("name")) {
                            loopNames.add(tokens.get(at).text);
                        }
                        at++;
                    }
                }
                case "function" -> {
                    scopes.push(new HashSet<>());
                    int at = i + 1;
                    while (!tokens.get(at).is("(")) {
                        at++;
                    }
                    while (!tokens.get(at).is(")")) {
                        if (tokens.get(at).kind.equals("name")) {
                            scopes.getFirst().add(tokens.get(at).text);
                        }
                        at++;
                    }
                }
                case "do" -> {
                    scopes.push(new HashSet<>(loopNames));
                    loopNames.clear();
                }
                case "then", "repeat" -> scopes.push(new HashSet<>());
                case "else" -> {
                    scopes.pop();
                    scopes.push(new HashSet<>());
                }
                case "elseif", "end", "until" -> scopes.pop();
                default -> {
                    boolean field = before.equals(".") || before.equals(":");
                    boolean named =
                            i + 1 < tokens.size()
                                    && tokens.get(i + 1).is("=")
                                    && (before.equals("{") || before.equals(","))
                                    && !scopes.stream()
                                            .anyMatch(scope -> scope.contains(token.text));
                    if (!KEYWORDS.contains(token.text)
                            && !field
                            && !named
                            && !loopNames.contains(token.text)
                            && scopes.stream().noneMatch(scope -> scope.contains(token.text))) {
                        throw refused(token, "'%s' was never declared".formatted(token.text));
                    }
                }
            }
        }
        if (scopes.size() != 1) {
            throw new IllegalArgumentException("an 'end' is missing, or is too many");
        }
    }

    /** Everything that is asked of a part of the library is there. */
    private static void checkMembers(List<Token> all) {
        var tokens =
                all.stream()
                        .filter(t -> !t.kind.equals("space") && !t.kind.equals("comment"))
                        .toList();
        var parts = new HashSet<String>();
        var members = new HashSet<String>();
        for (int i = 0; i + 3 < tokens.size(); i++) {
            if (tokens.get(i).is("local") && tokens.get(i).file.equals("modules.lua")) {
                parts.add(tokens.get(i + 1).text);
            }
            boolean function = i > 0 && tokens.get(i - 1).is("function");
            if (isMember(tokens, i, parts) && (function || tokens.get(i + 3).is("="))) {
                members.add(tokens.get(i).text + "." + tokens.get(i + 2).text);
            }
        }
        for (int i = 0; i + 3 < tokens.size(); i++) {
            var whole = tokens.get(i).text + "." + tokens.get(i + 2).text;
            if (isMember(tokens, i, parts) && !members.contains(whole)) {
                throw refused(tokens.get(i), "there is no '%s'".formatted(whole));
            }
        }
    }

    private static boolean isMember(List<Token> tokens, int at, Set<String> parts) {
        return parts.contains(tokens.get(at).text)
                && tokens.get(at).kind.equals("name")
                && (at == 0 || !tokens.get(at - 1).is("."))
                && tokens.get(at + 1).is(".");
    }

    /** Every command is sent to a key that the call declares, which stand in one table. */
    private static void checkKeys(List<Token> all) {
        var tokens =
                all.stream()
                        .filter(t -> !t.kind.equals("space") && !t.kind.equals("comment"))
                        .toList();
        for (int i = 0; i + 3 < tokens.size(); i++) {
            boolean call =
                    tokens.get(i).is("redis")
                            && (tokens.get(i + 2).is("call") || tokens.get(i + 2).is("pcall"));
            if (!call || tokens.get(i + 4).text.equals("'TIME'")) {
                continue;
            }
            var first = tokens.get(i + 6);
            boolean declared = first.is("key") || first.is("whole");
            if (!tokens.get(i + 5).is(",") || !declared) {
                throw refused(
                        tokens.get(i),
                        "a command has to name a declared key: key.ready, for example");
            }
        }
    }

    private static String written(List<Token> tokens) {
        var text = new StringBuilder();
        for (var token : tokens) {
            if (!token.kind.equals("comment")) {
                text.append(
                        token.kind.equals("space") && token.text.contains("\n")
                                ? "\n"
                                : token.text);
            }
        }
        return text.toString().replaceAll("[ \t]*\n\\s*", "\n").strip() + "\n";
    }

    private static IllegalArgumentException refused(Token token, String why) {
        return new IllegalArgumentException("%s:%d: %s".formatted(token.file, token.line, why));
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Lua() {}
}
