package io.multimed.protocol.statement;

import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * What belongs to a CallableStatement alone. Its OUT parameters come back as one row, in place of generated keys.
 *
 * @param outs the registered parameters
 * @param zone the client's time zone, a java.time.ZoneId: the engine's own driver tells an OUT timestamp in the middleware's
 */
public record CallOptions(List<Out> outs, String zone) {
    /** The value of a parameter that only comes back. */
    public static final OtherValue OUT_ONLY = new OtherValue("out", "");

    /**
     * A registered OUT or INOUT parameter.
     *
     * @param index from 1
     * @param sqlType a constant of java.sql.Types
     */
    public record Out(int index, int sqlType) {
        void write(WireWriter out) {
            out.writeInt(index);
            out.writeInt(sqlType);
        }

        static Out read(WireReader in) {
            return new Out(in.readInt(), in.readInt());
        }
    }

    public void write(WireWriter out) {
        out.writeList(outs, Out::write);
        out.writeString(zone);
    }

    public static CallOptions read(WireReader in) {
        return new CallOptions(in.readList(Out::read), in.readString());
    }
}
