package io.flowfabric.examples;

import io.flowfabric.FlowFabric;

import java.io.PrintStream;

/** What an example does, told line by line. */
@FunctionalInterface
interface Story {
    /**
     * Runs the example.
     *
     * @throws AssertionError when something that it claims did not come true
     */
    void tell(FlowFabric fabric, DatabaseLogin database, PrintStream out) throws Exception;

    /** An example that needs nothing but a fabric. */
    static Story of(OnFabricAlone example) {
        return (fabric, database, out) -> example.tell(fabric, out);
    }

    /** An example that needs nothing but a fabric. */
    @FunctionalInterface
    interface OnFabricAlone {
        /** Runs the example. */
        void tell(FlowFabric fabric, PrintStream out) throws Exception;
    }

    /** Tells that something came true. */
    static void claim(PrintStream out, boolean cameTrue, String what) {
        if (!cameTrue) {
            throw new AssertionError("It is not so that " + what + ".");
        }
        out.println("  ok: " + what);
    }
}
