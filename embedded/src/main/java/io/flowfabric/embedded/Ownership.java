package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Who may run the server of a home: the process that holds the lock on a file in it.
 *
 * <p>The operating system gives the lock back when the process ends, however it ends. Who holds it
 * is written beside it, for those who are refused.
 */
final class Ownership implements AutoCloseable {
    private static final String LOCK = "lock";
    private static final String OWNER = "owner";

    /** The homes that this process holds. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /**
     * Lock files that other code in this process holds, as seen by a second class loader. To close
     * one of these would release the other's lock: that is how POSIX locks work.
     */
    private static final List<FileChannel> NEVER_CLOSED = new CopyOnWriteArrayList<>();

    private final Path home;
    private final FileChannel channel;

    private Ownership(Path home, FileChannel channel) {
        this.home = home;
        this.channel = channel;
    }

    /**
     * Takes the home for this process.
     *
     * @param server what runs there, for those who are refused
     * @param home a real path, so that one home has one name
     * @throws Unavailable when another process, or another part of this one, owns the home
     */
    static Ownership take(String server, Path home) throws IOException {
        if (!HELD.add(home)) {
            throw owned(server, home);
        }
        FileChannel channel;
        try {
            channel = lock(server, home);
        } catch (IOException | RuntimeException e) {
            HELD.remove(home);
            throw e;
        }
        var ownership = new Ownership(home, channel);
        try {
            ownership.publish("");
            return ownership;
        } catch (IOException e) {
            ownership.close();
            throw e;
        }
    }

    /** Tells those who are refused where the server of this home is. */
    void publish(String url) throws IOException {
        var text = "pid=%d%nurl=%s%n".formatted(ProcessHandle.current().pid(), url);
        var unfinished = home.resolve(OWNER + ".new");
        Files.writeString(unfinished, text);
        Files.move(unfinished, home.resolve(OWNER), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try (channel) {
                Files.deleteIfExists(home.resolve(OWNER));
            } finally {
                HELD.remove(home);
            }
        }
    }

    private static FileChannel lock(String server, Path home) throws IOException {
        var channel =
                FileChannel.open(
                        home.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            NEVER_CLOSED.add(channel);
            throw owned(server, home);
        }
        channel.close();
        throw owned(server, home);
    }

    private static Unavailable owned(String server, Path home) {
        var owner = new Properties();
        try (Reader reader = new StringReader(Files.readString(home.resolve(OWNER)))) {
            owner.load(reader);
        } catch (IOException e) {
            // It is about to write the file, or about to end.
        }
        var pid = owner.getProperty("pid", "of unknown id");
        var url = owner.getProperty("url", "");
        return new Unavailable(
                ("The embedded %s in %s is owned by process %s, %s. Connect to that"
                                + " one, or choose another home.")
                        .formatted(
                                server,
                                home,
                                pid,
                                url.isEmpty()
                                        ? "which is starting it"
                                        : "which serves it at " + url));
    }
}
