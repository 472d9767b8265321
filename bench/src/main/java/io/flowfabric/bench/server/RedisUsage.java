package io.flowfabric.bench.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What servers have done since they were started, and this process beside them.
 *
 * @param nodeMicros processor time of the main thread of each node
 * @param processMicros processor time of this process
 * @param commands how many commands all nodes have run, those inside of functions included
 * @param functionCalls how many functions clients have called
 */
public record RedisUsage(
        List<Long> nodeMicros, long processMicros, long commands, long functionCalls) {
    /** The processor time of the main threads of all nodes. */
    public static final String SERVER = "server_us";

    /** The same of the node that was busiest. */
    public static final String BUSIEST = "busiest_node_us";

    /** The processor time of this process. */
    public static final String JVM = "jvm_us";

    /** The commands that were run, those inside of functions included. */
    public static final String COMMANDS = "commands";

    /** The functions that were called. */
    public static final String CALLS = "calls";

    public RedisUsage since(RedisUsage before) {
        var nodes = new ArrayList<Long>();
        for (int node = 0; node < nodeMicros.size(); node++) {
            nodes.add(nodeMicros.get(node) - before.nodeMicros.get(node));
        }
        return new RedisUsage(
                nodes,
                processMicros - before.processMicros,
                commands - before.commands,
                functionCalls - before.functionCalls);
    }

    /** What the processor time of one of several nodes is called. */
    public static String node(int number) {
        return "node_%d_us".formatted(number);
    }

    /** By the names under which it is reported. */
    public Map<String, Long> named() {
        var named = new LinkedHashMap<String, Long>();
        named.put(SERVER, nodeMicros.stream().mapToLong(micros -> micros).sum());
        named.put(BUSIEST, nodeMicros.stream().mapToLong(micros -> micros).max().orElse(0));
        for (int number = 1; nodeMicros.size() > 1 && number <= nodeMicros.size(); number++) {
            named.put(node(number), nodeMicros.get(number - 1));
        }
        named.put(JVM, processMicros);
        named.put(COMMANDS, commands);
        named.put(CALLS, functionCalls);
        return named;
    }
}
