// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.session;

import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * The reason for the choice of the node that ran a request.
 *
 * @param detail the decisive function, table or setting; empty without one
 */
public record Route(Reason reason, String detail) {
    public static final Route NONE = new Route(Reason.NONE, "");
    public static final Route FRESH = new Route(Reason.FRESH_SATELLITE, "");
    public static final Route CAUGHT_UP = new Route(Reason.CAUGHT_UP, "");
    public static final Route SAME_TRANSACTION = new Route(Reason.SAME_TRANSACTION, "");
    public static final Route UPDATE = new Route(Reason.UPDATE, "");

    public static final Route NOT_READ_ONLY = new Route(Reason.NOT_READ_ONLY, "");
    public static final Route SERIALIZABLE = new Route(Reason.SERIALIZABLE, "");
    public static final Route CATALOG = new Route(Reason.CATALOG, "");
    public static final Route SESSION = new Route(Reason.SESSION, "");
    public static final Route BEHIND = new Route(Reason.SATELLITES_BEHIND, "");
    public static final Route NO_SATELLITE = new Route(Reason.NO_SATELLITE, "");
    public static final Route LOST = new Route(Reason.SATELLITES_LOST, "");

    public static final Route HINT = new Route(Reason.HINT, "");
    public static final Route ACCEPTED_LAG = new Route(Reason.ACCEPTED_LAG, "");
    public static final Route CACHED = new Route(Reason.CACHED, "");

    /** Kind of reason. */
    public enum Reason {
        NONE(0, "no request was executed on a node"),
        FRESH_SATELLITE(1, "read on a fresh satellite"),
        CAUGHT_UP(2, "read on a satellite that caught up"),
        SAME_TRANSACTION(3, "the transaction is on this node"),
        UPDATE(4, "update"),
        NOT_PROVED(5, "not proved a pure read"),
        ANSWERS_DIFFER(6, "the result differs between nodes, and the transaction is not read-only"),
        CATALOG(7, "queries of the engine's catalog run on the master"),
        NOT_READ_ONLY(8, "read in a transaction that is not read-only"),
        SERIALIZABLE(9, "serializable transactions run on the master"),
        NOT_HELD(10, "no online satellite holds all tables of the statement"),
        NO_SATELLITE(11, "no satellite is online"),
        SATELLITES_BEHIND(12, "satellites too far behind"),
        SATELLITE_LACKS(13, "a satellite could not answer"),
        SATELLITES_LOST(14, "satellites were lost while they answered"),
        PINNED(15, "pinned"),
        SESSION(16, "the statement depends on the engine's session"),
        CACHED(17, "answered from the result cache"),
        HINT(18, "a hint of the statement"),
        ACCEPTED_LAG(19, "read on a satellite that is behind by no more than the statement accepts");

        private static final @Nullable Reason[] BY_CODE = byCode();

        private final int code;
        private final String text;

        Reason(int code, String text) {
            this.code = code;
            this.text = text;
        }

        private static Reason of(int code) {
            Reason reason = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
            if (reason == null) {
                throw new ProtocolException("unknown reason " + code);
            }
            return reason;
        }

        private static @Nullable Reason[] byCode() {
            @Nullable Reason[] table = new Reason[values().length];
            for (Reason reason : values()) {
                table[reason.code] = reason;
            }
            return table;
        }
    }

    public void write(WireWriter out) {
        out.writeByte(reason.code);
        out.writeString(detail);
    }

    public static Route read(WireReader in) {
        return new Route(Reason.of(in.readByte()), in.readString());
    }

    /** Returns the reason as a text for users. */
    @Override
    public String toString() {
        return detail.isEmpty() ? reason.text : reason.text + ": " + detail;
    }
}
