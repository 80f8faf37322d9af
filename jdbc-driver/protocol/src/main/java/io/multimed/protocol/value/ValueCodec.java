// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes SQL values: one tag byte, then the value. The Java class determines the tag. No value loses precision. A
 * value of a type without a Java class is transferred as {@link OtherValue}, in the engine's text format.
 */
public final class ValueCodec {
    // Tags, which are part of the protocol.
    private static final int NULL = 0;
    private static final int FALSE = 1;
    private static final int TRUE = 2;
    private static final int SHORT = 3;
    private static final int INT = 4;
    private static final int LONG = 5;
    private static final int FLOAT = 6;
    private static final int DOUBLE = 7;
    private static final int DECIMAL = 8;
    private static final int STRING = 9;
    private static final int BYTES = 10;
    private static final int DATE = 11;
    private static final int TIME = 12;
    private static final int TIME_TZ = 13;
    private static final int TIMESTAMP = 14;
    private static final int TIMESTAMP_TZ = 15;
    private static final int UUID_TAG = 16;
    private static final int ARRAY = 17;
    private static final int OTHER = 18;
    private static final int UPLOADED = 19;
    private static final int LARGE = 20;
    private static final int TYPED_NULL = 21;

    /**
     * Larger than the scale and the digits of every engine's numbers. Without these limits, a message of a few bytes
     * could describe a number whose text fills the memory.
     */
    private static final int MAX_SCALE = 200_000;

    private static final int MAX_UNSCALED = 128 << 10;

    private ValueCodec() {}

    /**
     * Writes a value of one of the classes that {@link #read} returns.
     *
     * @throws IllegalArgumentException if the value has another class
     */
    public static void write(@Nullable Object value, WireWriter out) {
        if (value == null) {
            out.writeByte(NULL);
        } else if (value instanceof String text) {
            out.writeByte(STRING);
            out.writeString(text);
        } else if (value instanceof Number number) {
            writeNumber(number, out);
        } else if (value instanceof Boolean truth) {
            out.writeByte(truth ? TRUE : FALSE);
        } else if (value instanceof byte[] bytes) {
            out.writeByte(BYTES);
            out.writeBytes(bytes);
        } else {
            writeRare(value, out);
        }
    }

    /**
     * Reads a value. Returns null, Boolean, Short, Integer, Long, Float, Double, BigDecimal, String, byte[], a
     * java.time class, UUID, {@link ArrayValue}, {@link OtherValue}, {@link UploadedValue}, {@link LargeValue} or
     * {@link TypedNull}.
     *
     * @throws ProtocolException if the tag is unknown or the value is out of range
     */
    public static @Nullable Object read(WireReader in) {
        int tag = in.readByte();
        return switch (tag) {
            case NULL -> null;
            case FALSE -> false;
            case TRUE -> true;
            case SHORT -> (short) in.readInt();
            case INT -> in.readInt();
            case LONG -> in.readLong();
            case FLOAT -> Float.intBitsToFloat(in.readInt());
            case DOUBLE -> Double.longBitsToDouble(in.readLong());
            case STRING -> in.readString();
            case BYTES -> in.readBytes();
            default -> readRare(tag, in);
        };
    }

    private static void writeNumber(Number value, WireWriter out) {
        if (value instanceof Integer number) {
            out.writeByte(INT);
            out.writeInt(number);
        } else if (value instanceof Long number) {
            out.writeByte(LONG);
            out.writeLong(number);
        } else if (value instanceof Short number) {
            out.writeByte(SHORT);
            out.writeInt(number);
        } else if (value instanceof Double number) {
            out.writeByte(DOUBLE);
            out.writeLong(Double.doubleToRawLongBits(number));
        } else if (value instanceof Float number) {
            out.writeByte(FLOAT);
            out.writeInt(Float.floatToRawIntBits(number));
        } else if (value instanceof BigDecimal number) {
            out.writeByte(DECIMAL);
            out.writeInt(number.scale());
            out.writeBytes(number.unscaledValue().toByteArray());
        } else {
            throw unknown(value);
        }
    }

    private static void writeRare(Object value, WireWriter out) {
        if (value instanceof LocalDate date) {
            out.writeByte(DATE);
            out.writeLong(date.toEpochDay());
        } else if (value instanceof LocalTime time) {
            out.writeByte(TIME);
            out.writeLong(time.toNanoOfDay());
        } else if (value instanceof OffsetTime time) {
            out.writeByte(TIME_TZ);
            out.writeLong(time.toLocalTime().toNanoOfDay());
            out.writeInt(time.getOffset().getTotalSeconds());
        } else if (value instanceof LocalDateTime timestamp) {
            out.writeByte(TIMESTAMP);
            writeTimestamp(timestamp, out);
        } else if (value instanceof OffsetDateTime timestamp) {
            out.writeByte(TIMESTAMP_TZ);
            writeTimestamp(timestamp.toLocalDateTime(), out);
            out.writeInt(timestamp.getOffset().getTotalSeconds());
        } else {
            writeStructured(value, out);
        }
    }

    private static void writeStructured(Object value, WireWriter out) {
        if (value instanceof UUID uuid) {
            out.writeByte(UUID_TAG);
            out.writeLong(uuid.getMostSignificantBits());
            out.writeLong(uuid.getLeastSignificantBits());
        } else if (value instanceof ArrayValue array) {
            out.writeByte(ARRAY);
            out.writeString(array.elementType());
            out.writeInt(array.sqlType());
            out.writeList(array.elements(), ValueCodec::write);
            out.writeNullableString(array.text());
        } else if (value instanceof OtherValue other) {
            out.writeByte(OTHER);
            out.writeString(other.typeName());
            out.writeString(other.text());
        } else if (value instanceof UploadedValue uploaded) {
            out.writeByte(UPLOADED);
            out.writeInt(uploaded.value());
            out.writeBoolean(uploaded.text());
        } else if (value instanceof LargeValue large) {
            out.writeByte(LARGE);
            large.write(out);
        } else if (value instanceof TypedNull nothing) {
            out.writeByte(TYPED_NULL);
            out.writeString(nothing.typeName());
        } else {
            throw unknown(value);
        }
    }

    /** Converts the exceptions by which classes of the JDK reject values that are out of range. */
    private static Object readRare(int tag, WireReader in) {
        try {
            return readChecked(tag, in);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            throw new ProtocolException("a value is out of range: " + e.getMessage());
        }
    }

    private static Object readChecked(int tag, WireReader in) {
        return switch (tag) {
            case DECIMAL -> readDecimal(in);
            case DATE -> LocalDate.ofEpochDay(in.readLong());
            case TIME -> LocalTime.ofNanoOfDay(in.readLong());
            case TIME_TZ -> OffsetTime.of(LocalTime.ofNanoOfDay(in.readLong()), offset(in));
            case TIMESTAMP -> readTimestamp(in);
            case TIMESTAMP_TZ -> OffsetDateTime.of(readTimestamp(in), offset(in));
            case UUID_TAG -> new UUID(in.readLong(), in.readLong());
            case ARRAY -> new ArrayValue(in.readString(), in.readInt(), readElements(in), in.readNullableString());
            case OTHER -> new OtherValue(in.readString(), in.readString());
            case LARGE -> LargeValue.read(in);
            case TYPED_NULL -> new TypedNull(in.readString());
            case UPLOADED -> new UploadedValue(in.readInt(), in.readBoolean());
            default -> throw new ProtocolException("unknown value tag " + tag);
        };
    }

    private static BigDecimal readDecimal(WireReader in) {
        int scale = in.readInt();
        byte[] unscaled = in.readBytes();
        if (Math.abs((long) scale) > MAX_SCALE || unscaled.length > MAX_UNSCALED) {
            throw new ArithmeticException("a number with more digits than engines support");
        }
        return new BigDecimal(new BigInteger(unscaled), scale);
    }

    private static List<@Nullable Object> readElements(WireReader in) {
        in.enter();
        List<@Nullable Object> elements = in.readList(ValueCodec::read);
        in.leave();
        return elements;
    }

    private static void writeTimestamp(LocalDateTime timestamp, WireWriter out) {
        out.writeLong(timestamp.toEpochSecond(ZoneOffset.UTC));
        out.writeInt(timestamp.getNano());
    }

    private static LocalDateTime readTimestamp(WireReader in) {
        long seconds = in.readLong();
        return LocalDateTime.ofEpochSecond(seconds, in.readInt(), ZoneOffset.UTC);
    }

    private static ZoneOffset offset(WireReader in) {
        return ZoneOffset.ofTotalSeconds(in.readInt());
    }

    private static IllegalArgumentException unknown(Object value) {
        return new IllegalArgumentException(
                "no wire form for " + value.getClass().getName());
    }
}
