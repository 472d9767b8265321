package io.flowfabric.cli.terminal;

/** A few colours, or none. */
public record Colours(boolean on) {
    public static final Colours NONE = new Colours(false);

    public String strong(String text) {
        return paint("1", text);
    }

    public String faint(String text) {
        return paint("2", text);
    }

    public String good(String text) {
        return paint("32", text);
    }

    public String bad(String text) {
        return paint("31", text);
    }

    private String paint(String code, String text) {
        return on ? "\033[" + code + "m" + text + "\033[0m" : text;
    }
}
