package io.flowfabric.bench.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a Redis tells of itself: lines with a name and a value. */
record ServerInfo(Map<String, String> values) {
    private static final double MICROS = 1e6;

    /** Reads the answer to {@code INFO}. */
    static ServerInfo read(String text) {
        var values = new HashMap<String, String>();
        text.lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(
                        line -> {
                            int colon = line.indexOf(':');
                            if (colon > 0) {
                                values.put(line.substring(0, colon), line.substring(colon + 1));
                            }
                        });
        return new ServerInfo(values);
    }

    String text(String name) {
        return find(name)
                .orElseThrow(
                        () -> new IllegalStateException("The server does not tell its " + name));
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    /**
     * The processor time of the thread that does everything, in microseconds; where the platform
     * does not know that of a thread, as only Linux does, that of the whole server.
     */
    long mainThreadMicros() {
        return micros("used_cpu_sys_main_thread", "used_cpu_sys")
                + micros("used_cpu_user_main_thread", "used_cpu_user");
    }

    /** How often clients have called functions. */
    long functionCalls() {
        return calls("fcall") + calls("fcall_ro");
    }

    private long calls(String command) {
        // calls=12,usec=345,...
        return find("cmdstat_" + command)
                .map(told -> told.substring("calls=".length(), told.indexOf(',')))
                .map(Long::parseLong)
                .orElse(0L);
    }

    private long micros(String name, String instead) {
        return Math.round(Double.parseDouble(find(name).orElseGet(() -> text(instead))) * MICROS);
    }

    private Optional<String> find(String name) {
        return Optional.ofNullable(values.get(name));
    }
}
