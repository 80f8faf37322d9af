package io.multimed.server.dispatcher.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Predicts from the first statement whether a read-write transaction with one snapshot will only read. If so, the
 * transaction begins on a satellite; otherwise on the master, because the move to the master costs round trips and may
 * fail. Learns from the ends of transactions. Bounded by the sizes of the texts. Thread-safe.
 */
public final class TransactionForecast {
    private static final long CHARACTERS = 4 << 20;
    private static final int OVERHEAD = 100;
    private static final int CERTAIN = 1_024;

    /** The last transaction counts as one in so many. */
    private static final int WEIGHT = 4;

    /** By first statement: the share of transactions that only read, lately, in parts of {@link #CERTAIN}. */
    private final Cache<String, AtomicInteger> shares = Caffeine.newBuilder()
            .maximumWeight(CHARACTERS)
            .weigher((String sql, AtomicInteger share) -> OVERHEAD + sql.length())
            .build();

    /** Returns whether a transaction with this first statement will probably only read. */
    public boolean onlyReads(String first) {
        AtomicInteger share = shares.getIfPresent(first);
        return share == null || share.get() > CERTAIN / 2;
    }

    /** Records the end of a transaction. */
    public void ended(String first, boolean onlyRead) {
        int target = onlyRead ? CERTAIN : 0;
        shares.get(first, text -> new AtomicInteger(CERTAIN)).updateAndGet(share -> share + (target - share) / WEIGHT);
    }
}
