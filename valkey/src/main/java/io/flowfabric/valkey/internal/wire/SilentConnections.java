package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Closes connections that do not answer any more, so that they are made anew, to where the name of
 * the server leads by then: its host may have vanished without a word, or something on the way may
 * have forgotten the connection.
 */
final class SilentConnections implements NettyCustomizer {
    private static final Logger log = LoggerFactory.getLogger(SilentConnections.class);

    /** So often all of them are closed at most. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Duration longest;
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private long lastClosed = System.nanoTime() - PAUSE.toNanos();

    /**
     * @param longest how long an answer may be waited for in silence
     */
    SilentConnections(Duration longest) {
        this.longest = longest;
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new Watch());
        open.add(channel);
        var unused = channel.closeFuture().addListener(closed -> open.remove(channel));
    }

    /** Closes all of them: they lead to a server that is not the one any more that they are for. */
    synchronized void closeAll() {
        long now = System.nanoTime();
        if (now - lastClosed >= PAUSE.toNanos()) {
            lastClosed = now;
            for (var channel : open) {
                var unused = channel.close();
            }
        }
    }

    /** Of one connection; everything happens on its thread. */
    private final class Watch extends ChannelDuplexHandler {
        private boolean waiting;
        private boolean watched;
        private long since;

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (!waiting) {
                waiting = true;
                since = System.nanoTime();
                if (!watched) {
                    watched = true;
                    look(context, longest.toNanos());
                }
            }
            var unused = context.write(message, promise);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            waiting = false;
            context.fireChannelRead(message);
        }

        private void look(ChannelHandlerContext context, long nanos) {
            var unused =
                    context.executor().schedule(() -> look(context), nanos, TimeUnit.NANOSECONDS);
        }

        private void look(ChannelHandlerContext context) {
            if (!waiting || !context.channel().isOpen()) {
                watched = false;
                return;
            }
            long left = longest.toNanos() - (System.nanoTime() - since);
            if (left > 0) {
                look(context, left);
                return;
            }
            log.warn(
                    "{} has been silent for {}: the connection is made anew.",
                    context.channel().remoteAddress(),
                    longest);
            var unused = context.close();
        }
    }
}
