package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.writeset.Change.StatementChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and drops views on a satellite. A view may name what the satellite does not have: then it is left out, and the master answers for it. Each statement commits.
 */
final class ViewMaker {
    private static final Logger LOG = LoggerFactory.getLogger(ViewMaker.class);

    /** Waited too long for a lock; a deadlock; stopped. */
    private static final Set<Integer> PASSING = Set.of(1205, 1213, 1317);

    private final Connection satellite;

    ViewMaker(Connection satellite) {
        this.satellite = satellite;
    }

    /** In the order of what they need of each other, as far as they can be made. */
    void run(List<StatementChange> statements) throws SQLException {
        List<StatementChange> left = new ArrayList<>(statements);
        int before = Integer.MAX_VALUE;
        while (!left.isEmpty() && left.size() < before) {
            before = left.size();
            List<StatementChange> failed = new ArrayList<>();
            for (StatementChange statement : left) {
                if (!run(statement)) {
                    failed.add(statement);
                }
            }
            left = failed;
        }
        left.forEach(statement -> LOG.info("not on this satellite, which lacks what it needs: {}", statement.sql()));
    }

    /** Whether a view cannot be made here. A view that is to go must go. */
    private static boolean isFinal(StatementChange statement, SQLException failure) {
        boolean broken = failure.getSQLState() == null || failure.getSQLState().startsWith("08");
        return !broken && statement.sql().startsWith("CREATE") && !PASSING.contains(failure.getErrorCode());
    }

    private boolean run(StatementChange statement) throws SQLException {
        String collation = statement.searchPath();
        Queries.run(satellite, "SET @multimed_collation = @@collation_connection");
        try {
            if (!collation.isEmpty()) {
                Queries.run(satellite, "SET collation_connection = " + collation);
            }
            DdlRetry.run(satellite, statement.sql());
            return true;
        } catch (SQLException e) {
            if (isFinal(statement, e)) {
                return false;
            }
            throw e;
        } finally {
            Queries.run(satellite, "SET collation_connection = @multimed_collation");
        }
    }
}
