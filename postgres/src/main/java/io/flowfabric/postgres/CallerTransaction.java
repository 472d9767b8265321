package io.flowfabric.postgres;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.internal.DatabaseIdentity;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * The open transaction of a caller. What the store does in it is behind a savepoint, so that the
 * transaction can go on whatever comes of it.
 */
final class CallerTransaction {
    private final Database db;
    private final DatabaseIdentity home;
    private final Connection connection;

    CallerTransaction(Database db, DatabaseIdentity home, Connection connection) {
        this.db = db;
        this.home = home;
        this.connection = connection;
    }

    /**
     * The transaction, if it can be written to.
     *
     * @throws Invalid with a code that says why not
     */
    Transaction checked() {
        db.checkOpen();
        var tx = Transaction.of(connection, db.statements());
        checkTransaction();
        checkHome(tx);
        return tx;
    }

    /**
     * Does work in it, which leaves nothing behind when it throws.
     *
     * @param contended what the work may have to wait for
     */
    <T> T write(Transaction tx, String contended, Supplier<T> work) {
        try {
            return tx.behindSavepoint(db.options().lockTimeout(), work);
        } catch (Contended e) {
            throw inOtherWords(e, contended);
        } catch (StoreFailure e) {
            if (Failures.readOnly(e)) {
                throw refused(
                        Invalid.Code.TRANSACTION_READ_ONLY,
                        "its transaction may not write. Begin one that may, and connect to the"
                                + " primary if this is a standby.");
            }
            throw e;
        }
    }

    private void checkTransaction() {
        try {
            if (connection.isClosed()) {
                throw refused(
                        Invalid.Code.CONNECTION_CLOSED,
                        "it is closed, and whatever was not committed is undone. Take another one,"
                                + " and repeat the transaction.");
            }
            if (connection.getAutoCommit()) {
                throw refused(
                        Invalid.Code.AUTOCOMMIT,
                        "it commits every statement by itself. Call setAutoCommit(false), or begin"
                                + " a transaction in your framework, and call inside of it.");
            }
        } catch (SQLException e) {
            throw Failures.of("The look at the transaction", e, false);
        }
    }

    private void checkHome(Transaction tx) {
        boolean atHome;
        try {
            atHome = home.isAt(tx);
        } catch (StoreFailure e) {
            if (Failures.failedBefore(e)) {
                throw refused(
                        Invalid.Code.TRANSACTION_FAILED,
                        "a statement of its transaction has failed, so Postgres will not commit"
                                + " it. Roll it back, and begin another one.");
            }
            throw e;
        } catch (Contended e) {
            throw inOtherWords(e, "This transaction");
        }
        if (!atHome) {
            throw refused(
                    Invalid.Code.OTHER_DATABASE,
                    "it leads to another database than %s, which is the store's: one transaction"
                                    .formatted(db.options().server())
                            + " cannot cover both.");
        }
    }

    private static Invalid refused(Invalid.Code code, String explanation) {
        return new Invalid(code, "connection", explanation);
    }

    private static Contended inOtherWords(Contended e, String held) {
        var what =
                Failures.notSerializable(e)
                        ? "This transaction, which has to be rolled back and repeated as a whole,"
                        : held;
        var contended = new Contended(what, e.retryAfter());
        contended.initCause(e.getCause());
        return contended;
    }
}
