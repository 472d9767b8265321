package io.flowfabric.cli.dev;

/**
 * Where a server is, and how to log in there.
 *
 * @param user may be empty where a server has a default user
 */
record StoreLogin(String url, String user, String password) {
    /** Without the password. */
    @Override
    public String toString() {
        return url;
    }
}
