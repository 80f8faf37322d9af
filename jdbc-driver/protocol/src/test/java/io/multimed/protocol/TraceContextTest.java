// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Traced;
import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reading of trace contexts, which applications give, and which arrive from clients. */
class TraceContextTest {
    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void shouldReadAndWriteTheHeader() {
        TraceContext context = TraceContext.parse(VALID).orElseThrow();
        assertThat(context).hasToString(VALID);
        assertThat(context.traceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(context.spanText()).isEqualTo("00f067aa0ba902b7");
        assertThat(context.isSampled()).isTrue();
        assertThat(TraceContext.parse("cc-ffffffffffffffffffffffffffffffff-ffffffffffffffff-fe-more")
                        .orElseThrow()
                        .isSampled())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"
            })
    void shouldRefuseOtherTexts(String header) {
        assertThat(TraceContext.parse(header)).isEmpty();
    }

    @Test
    void shouldRefuseOtherRequestsInsideATracedOne() {
        TraceContext context = TraceContext.parse(VALID).orElseThrow();
        assertThatThrownBy(() -> new Traced(context, new Ping())).isInstanceOf(ProtocolException.class);
        Traced commit = new Traced(context, new Commit(false));
        assertThatThrownBy(() -> new Traced(context, commit)).isInstanceOf(ProtocolException.class);
        for (MessageType inside : new MessageType[] {MessageType.TRACED, MessageType.HELLO, MessageType.CANCEL}) {
            WireWriter out = new WireWriter();
            out.writeByte(MessageType.TRACED.code());
            out.writeInt(1);
            context.write(out);
            out.writeByte(inside.code());
            assertThatThrownBy(() -> Frame.decode(out.toByteArray())).isInstanceOf(ProtocolException.class);
        }
    }
}
