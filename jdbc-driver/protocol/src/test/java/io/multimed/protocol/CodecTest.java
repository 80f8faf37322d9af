// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.request.Traced;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Piece;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.value.Warning;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that decoded messages equal the encoded ones, and that invalid input is refused without other effects. */
class CodecTest {
    private static final SessionStatus STATUS = new SessionStatus(
            true, true, false, true, true, true, 8, false, 2, new Route(Route.Reason.NOT_PROVED, "function f()"), 77);
    private static final Column COLUMN =
            new Column("a", "b", Types.INTEGER, "int4", "java.lang.Integer", 10, 0, 11, 1, true, false, false, true);
    private static final Column OF_TABLE = new Column(
            "a",
            "b",
            Types.INTEGER,
            "INT",
            "java.lang.Integer",
            10,
            0,
            10,
            0,
            true,
            true,
            false,
            false,
            new ColumnOrigin("", "thing", "shop", "id"),
            "t");
    private static final Outcome.Rowset ROWSET = new Outcome.Rowset(
            new ResultSetHead(3, false, List.of(COLUMN, OF_TABLE)), new Rows(1, false, new byte[] {4, 0, 0, 0, 1}));

    static Stream<Message> messages() {
        TransactionMode mode = new TransactionMode(false, true, 4);
        StatementText text = new StatementText(255, true, "SELECT ?");
        Parameter parameter = new Parameter(Types.VARCHAR, "x");
        ExecuteOptions options = new ExecuteOptions(1L << 40, 2, 3, GeneratedKeys.named(List.of("id")));
        return Stream.of(
                new Hello(Protocol.VERSION, "shop", "me", "test", new byte[] {1, 2}, "Europe/Berlin"),
                new Proof(new byte[32]),
                ClearPassword.of("pässword".toCharArray()),
                new Execute(mode, text, List.of(parameter), options),
                new ExecuteBatch(mode, text, List.of(List.of(parameter), List.of()), ExecuteOptions.DEFAULT),
                new ExecuteScript(
                        mode,
                        List.of("a", "b"),
                        new ExecuteOptions(
                                0,
                                0,
                                0,
                                GeneratedKeys.numbered(List.of(2, 1)),
                                new CallOptions(List.of(new CallOptions.Out(1, Types.INTEGER)), "UTC"))),
                new Fetch(7, 100),
                new CloseCursor(7),
                new Commit(false),
                new Commit(true),
                new Rollback(),
                new SavepointRequest(mode, SavepointRequest.Action.ROLLBACK_TO, "s"),
                new CatalogCall(
                        mode,
                        "getTables",
                        Arrays.asList(null, "x", new ArrayValue("text", Types.VARCHAR, List.of("TABLE")))),
                new Ping(),
                new Cancel(1L << 60, -5, 7),
                new Goodbye(),
                new QueryOutcome(1L << 50, -7, 12, 99),
                new Describe(mode, "SELECT ?", GeneratedKeys.NONE, null, true, List.of(parameter)),
                new Describe(
                        mode, "INSERT INTO t VALUES (?)", GeneratedKeys.named(List.of("id")), null, false, List.of()),
                new Describe(
                        mode,
                        "{? = call f()}",
                        GeneratedKeys.NONE,
                        new CallOptions(List.of(new CallOptions.Out(1, Types.INTEGER)), "UTC"),
                        false,
                        List.of()),
                new Upload(3, new byte[] {1, 2, 3}),
                new Traced(new TraceContext(1L << 63, 2, -3, 1), new Commit(false)),
                new Traced(new TraceContext(4, 0, 5, 0xff), new Execute(mode, text, List.of(parameter), options)),
                new Challenge(new byte[16], 4096, new byte[36]),
                new Welcome(
                        9,
                        8,
                        7,
                        new byte[32],
                        new EngineIdentity("PostgreSQL", "17.1", 17, 1, 2),
                        true,
                        List.of("master")),
                new Executed(
                        STATUS, List.of(new Outcome.Count(5), ROWSET), ROWSET, List.of(new Warning("01000", 0, "w"))),
                new BatchExecuted(STATUS, new long[] {1, -2, Long.MAX_VALUE}, null, List.of()),
                new Rows(2, true, new byte[] {0, 0}, List.of(new LargeValue(1, true, 5_000_000))),
                new Download(1),
                new Piece(new byte[] {7, 8}),
                new Done(STATUS),
                new CatalogAnswer(STATUS, 5, null),
                new ErrorReport(STATUS, "42601", 0, "alone", "middleware"),
                new ErrorReport(
                        STATUS,
                        "23505",
                        7,
                        "no",
                        "master",
                        new ErrorFields(Map.of(ErrorField.CONSTRAINT, "things_pkey", ErrorField.POSITION, "12")),
                        List.of(new Warning("23505", 7, "why")),
                        new long[] {1, -3}),
                OutcomeAnswer.answered(new Done(STATUS)),
                new Described(
                        STATUS,
                        List.of(new Described.ParameterDescription(
                                Types.INTEGER, "int4", "java.lang.Integer", 10, 0, 1, 2, true)),
                        List.of(new Described.ColumnDescription(COLUMN, "", "t", "public", "b"))));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldReadEveryMessageThatItWrites(Message message) {
        assertThat(roundTrip(message)).usingRecursiveComparison().isEqualTo(message);
    }

    @Test
    void shouldKnowAnExampleOfEveryMessage() {
        assertThat(messages().map(Message::type).distinct()).containsExactlyInAnyOrder(MessageType.values());
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseAMessageThatIsCutOff(Message message) {
        byte[] frame = payload(message);
        for (int length = 5; length < frame.length; length++) {
            byte[] part = Arrays.copyOf(frame, length);
            assertThatThrownBy(() -> Frame.decode(part)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void shouldMeetGarbageWithAProtocolExceptionOnly() {
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            byte[] garbage = new byte[random.nextInt(5, 60)];
            random.nextBytes(garbage);
            garbage[0] = (byte) random.nextInt(0, 80);
            assertThatCode(() -> {
                        try {
                            Frame.decode(garbage);
                        } catch (ProtocolException expected) {
                            assertThat(expected.getMessage()).isNotBlank();
                        }
                    })
                    .doesNotThrowAnyException();
        }
    }

    /** A few bytes that declare nested lists of many elements: 33 levels once allocated half a gigabyte. */
    @Test
    void shouldAllocateNoMemoryForElementsThatWereNotReceived() {
        assertThatThrownBy(() -> Frame.decode(nestedLists(40, 4 << 10))) // loads the classes
                .isInstanceOf(ProtocolException.class);
        byte[] frame = nestedLists(40, 4 << 20);
        long before = allocated();
        assertThatThrownBy(() -> Frame.decode(frame)).isInstanceOf(ProtocolException.class);
        assertThat(allocated() - before).isLessThan(1 << 20);
    }

    /** A call with nested lists, each of which declares as many elements as the frame has bytes. */
    private static byte[] nestedLists(int depth, int size) {
        WireWriter out = new WireWriter(size);
        out.writeByte(MessageType.CATALOG_CALL.code());
        out.writeInt(1);
        new TransactionMode(false, true, 4).write(out);
        out.writeString("getTables");
        out.writeVarint(1);
        for (int i = 0; i < depth; i++) {
            out.writeByte(17); // an array
            out.writeString("");
            out.writeInt(0);
            out.writeVarint(size - 1_000);
        }
        return Arrays.copyOf(out.toByteArray(), size);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /**
     * Objects decoded from small elements are much larger than the elements: their memory is counted during the
     * decoding.
     */
    @Test
    void shouldCountTheMemoryOfADecodedFrame() {
        List<List<Parameter>> rows = Collections.nCopies(200_000, List.of());
        byte[] frame = payload(new ExecuteBatch(
                new TransactionMode(false, true, 4), new StatementText(-1, true, "x"), rows, ExecuteOptions.DEFAULT));
        AtomicLong taken = new AtomicLong();
        long before = allocated();
        Frame.decodeRequest(frame, true, taken::addAndGet);
        long real = allocated() - before;
        assertThat(taken.get()).isBetween(real / 3, real * 10);
        assertThatThrownBy(() -> Frame.decodeRequest(frame, true, bytes -> {
                    throw new IllegalStateException("no room");
                }))
                .hasMessage("no room");
    }

    /** The hello of an older driver has no zone; it is read, so that the driver can be told its release is wrong. */
    @Test
    void shouldReadTheHelloOfAnOlderDriver() {
        Hello old = new Hello(Protocol.VERSION - 1, "shop", "me", "test", new byte[] {1, 2}, "");
        assertThat(roundTrip(old)).usingRecursiveComparison().isEqualTo(old);
    }

    @Test
    void shouldDecodeOnlyLoginMessagesBeforeALogin() {
        messages().forEach(message -> {
            boolean login = Set.of(
                            MessageType.HELLO,
                            MessageType.PROOF,
                            MessageType.CLEAR_PASSWORD,
                            MessageType.CANCEL,
                            MessageType.GOODBYE)
                    .contains(message.type());
            assertThat(isRead(message, false)).as("%s", message.type()).isEqualTo(login);
            assertThat(isRead(message, true)).as("%s", message.type()).isEqualTo(message instanceof Request);
        });
    }

    private static boolean isRead(Message message, boolean known) {
        return isRead(payload(message), known);
    }

    @Test
    void shouldRefuseNumbersWithMoreDigitsThanEnginesSupport() {
        for (BigDecimal number : List.of(
                new BigDecimal("1E+1000000000"), new BigDecimal("1E-1000000000"), BigDecimal.TEN.pow(400_000))) {
            WireWriter out = new WireWriter();
            ValueCodec.write(number, out);
            assertThatThrownBy(() -> ValueCodec.read(new WireReader(out.toByteArray())))
                    .isInstanceOf(ProtocolException.class);
        }
    }

    /**
     * Real messages with a few bytes changed: each is decoded, or refused by a protocol exception, in bounded time and
     * memory.
     */
    @Timeout(60)
    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseMutatedMessagesWithAProtocolExceptionOnly(Message message) {
        byte[] frame = payload(message);
        long seed = Long.getLong("multimed.test.seed", 7);
        Random random = new Random(seed);
        long before = allocated();
        int rounds = 5_000;
        for (int i = 0; i < rounds; i++) {
            byte[] mutated = mutated(frame, random);
            assertThatCode(() -> isRead(mutated, true))
                    .as("seed %d, round %d", seed, i)
                    .doesNotThrowAnyException();
        }
        assertThat((allocated() - before) / rounds).isLessThan(200L << 10);
    }

    private static boolean isRead(byte[] frame, boolean known) {
        try {
            Frame.decodeRequest(frame, known, WireReader.Allowance.UNBOUNDED);
            return true;
        } catch (ProtocolException e) {
            return false;
        }
    }

    private static byte[] mutated(byte[] frame, Random random) {
        byte[] mutated = Arrays.copyOf(frame, Math.max(Protocol.HEADER, frame.length + random.nextInt(-3, 4)));
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
            int at = random.nextInt(5, Math.max(6, mutated.length));
            if (at < mutated.length) {
                mutated[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3) - 2);
            }
        }
        return mutated;
    }

    static Stream<Object> values() {
        return Stream.of(
                true,
                false,
                (short) -3,
                Integer.MIN_VALUE,
                Long.MAX_VALUE,
                Float.NaN,
                Double.NEGATIVE_INFINITY,
                new BigDecimal("-12345678901234567890.000100"),
                new BigDecimal("1E+20"),
                "plain",
                new UploadedValue(7, true),
                new TypedNull("uuid"),
                new LargeValue(8, false, 9),
                "\uD83D\uDE00 ü \u0000",
                "x".repeat(300),
                LocalDate.MIN,
                LocalDate.MAX,
                LocalTime.MAX,
                OffsetTime.of(1, 2, 3, 4, ZoneOffset.ofHours(-12)),
                LocalDateTime.MIN,
                LocalDateTime.MAX,
                OffsetDateTime.of(LocalDateTime.of(2020, 1, 2, 3, 4, 5, 6), ZoneOffset.ofHoursMinutes(5, 30)),
                new UUID(1, -1),
                new ArrayValue(
                        "int4",
                        Types.INTEGER,
                        Arrays.asList(1, null, new ArrayValue("int4", Types.INTEGER, List.of()))),
                new OtherValue("jsonb", "{}"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldKeepEveryValueExactly(Object value) {
        WireWriter out = new WireWriter(1);
        ValueCodec.write(value, out);
        assertThat(ValueCodec.read(new WireReader(out.toByteArray()))).isEqualTo(value);
    }

    @Test
    void shouldKeepNullAndBytes() {
        WireWriter out = new WireWriter();
        ValueCodec.write(null, out);
        ValueCodec.write(new byte[] {1, 2}, out);
        WireReader in = new WireReader(out.toByteArray());
        assertThat(ValueCodec.read(in)).isNull();
        assertThat(ValueCodec.read(in)).isEqualTo(new byte[] {1, 2});
    }

    @Test
    void shouldProveAPasswordWithoutSendingIt() {
        assertProof(Scram.verifier("secret".toCharArray()), 4096);
        assertProof(Scram.verifierOfRandom("secret".toCharArray()), 1);
    }

    private static void assertProof(Scram.Verifier verifier, int iterations) {
        assertThat(verifier.iterations()).isEqualTo(iterations);
        Challenge challenge = new Challenge(verifier.salt(), verifier.iterations(), new byte[36]);
        byte[] exchange = Scram.exchange("me", challenge, new byte[] {7});
        byte[] salted = Scram.salted("secret".toCharArray(), challenge);
        Proof right = new Proof(Scram.clientProof(salted, exchange));
        Proof wrong = new Proof(Scram.clientProof(Scram.salted("guess".toCharArray(), challenge), exchange));
        assertThat(Scram.proves(right, verifier, exchange)).isTrue();
        assertThat(Scram.proves(wrong, verifier, exchange)).isFalse();
        assertThat(Scram.serverSignature(verifier, exchange)).isEqualTo(Scram.expectedSignature(salted, exchange));
    }

    private static Message roundTrip(Message message) {
        Frame frame = Frame.decode(payload(message));
        assertThat(frame.sequence()).isEqualTo(42);
        return frame.message();
    }

    /** The frame without its length. */
    private static byte[] payload(Message message) {
        byte[] bytes = Frame.encode(42, message, new WireWriter());
        return Arrays.copyOfRange(bytes, Protocol.LENGTH, bytes.length);
    }

    /** The middleware can then report both versions. */
    @Test
    void shouldReadTheHelloOfAnOlderVersion() {
        WireWriter out = new WireWriter();
        Frame.writeTo(1, new Hello(11, "shop", "me", "test", new byte[18], "Europe/Berlin"), out);
        byte[] frame = Arrays.copyOfRange(out.array(), Protocol.LENGTH, out.size());
        assertThat(((Hello) Frame.decode(frame).message()).version()).isEqualTo(11);
        byte[] withoutZone = Arrays.copyOf(frame, frame.length - "Europe/Berlin".length() - 1);
        assertThat(((Hello) Frame.decode(withoutZone).message()).zone()).isEmpty();
    }
}
