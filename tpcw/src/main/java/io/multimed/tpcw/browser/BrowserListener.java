package io.multimed.tpcw.browser;

import io.multimed.tpcw.interaction.InteractionType;
import java.sql.SQLException;

/** Hears what a browser does; called on the browser's thread. */
public interface BrowserListener {
    /** An interaction was answered after that many nanoseconds, retries included. */
    void completed(InteractionType type, long nanos);

    /** A transaction was rolled back by the engine for the sake of others; it is tried again. */
    void retried(InteractionType type);

    /** An interaction failed. */
    void failed(InteractionType type, SQLException cause);
}
