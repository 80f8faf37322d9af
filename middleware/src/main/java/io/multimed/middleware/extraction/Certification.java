package io.multimed.middleware.extraction;

import io.multimed.middleware.writeset.Scn;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out, for an engine that lets a transaction write over what its snapshot does not show, whether one has done so. Used for one transaction, by one thread: first it is told
 * of each row, then asked.
 */
public interface Certification {
    /**
     * The transaction has changed or deleted a row.
     *
     * @param before its version before; null if the row is new
     */
    void wroteOver(long relation, @Nullable String before);

    /**
     * The commits that made these versions, as far as the transaction may not have seen them. It may commit if its snapshot shows all of them. Waits until every commit is known that came before the
     * change of one of these rows.
     *
     * @throws SQLException 40001 if that is not known any more: the transaction is too old
     */
    Set<Scn> suspects() throws SQLException;
}
