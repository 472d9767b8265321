/** A real Postgres that starts itself from a folder, for a first look and for tests. */
module io.flowfabric.embedded {
    requires transitive io.flowfabric.core;
    requires org.apache.commons.compress;
    requires org.slf4j;
    requires org.tukaani.xz;
    requires static transitive org.jspecify;

    exports io.flowfabric.embedded;
}
