package io.flowfabric.bench.peer;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.server.Login;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Locale;

/**
 * The program of a {@link PeerProcess}: it does what each line of its input says and answers with a
 * line, until its input ends.
 *
 * <p>The first three lines are the URL of the database, the user and the password.
 */
public final class PeerMain {
    private PeerMain() {}

    /**
     * Runs it.
     *
     * @param words which peer, and how many workers it has
     */
    public static void main(String[] words) throws IOException {
        Locale.setDefault(Locale.ROOT);
        var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Whatever a peer prints is no answer.
        System.setOut(System.err);
        try (var lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            var login = new Login(lines.readLine(), lines.readLine(), lines.readLine());
            serve(Peer.valueOf(words[0]), login, Integer.parseInt(words[1]), lines, answers);
        }
        // A peer may have left threads behind that keep the JVM alive.
        System.exit(0);
    }

    private static void serve(
            Peer peer, Login login, int workers, BufferedReader lines, PrintStream answers)
            throws IOException {
        try (var contender = peer.open(login, workers)) {
            answers.println("ok 0");
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.println("ok " + obey(contender, line.split(" ")));
            }
        } catch (SQLException | RuntimeException e) {
            e.printStackTrace();
            answers.println("failed " + e.toString().replaceAll("\\s+", " "));
        } catch (InterruptedException e) {
            answers.println("failed " + e);
        }
    }

    private static long obey(Contender contender, String[] words)
            throws SQLException, InterruptedException {
        switch (words[0]) {
            case "submit" -> contender.submit(Integer.parseInt(words[1]));
            case "ready" -> {
                return contender.ready();
            }
            case "drain" -> {
                return contender.drain().toNanos();
            }
            case "verify" -> contender.verify();
            case "clear" -> contender.clear();
            default -> throw new IllegalArgumentException("A peer cannot " + words[0] + ".");
        }
        return 0;
    }
}
