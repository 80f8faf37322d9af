package io.multimed.jdbc.result;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Results that the engine gave whole as far as the application can tell, although they are read in pieces: the part that is still in the middleware is fetched before their
 * transaction ends.
 */
public final class UnreadResults {
    private final Set<RowSource> sources = Collections.newSetFromMap(new WeakHashMap<>());

    public void add(RowSource source) {
        if (!source.isWhole() && !source.streams()) {
            sources.add(source);
        }
    }

    public void fetch() throws SQLException {
        for (RowSource source : List.copyOf(sources)) {
            source.readAhead();
        }
        sources.clear();
    }
}
