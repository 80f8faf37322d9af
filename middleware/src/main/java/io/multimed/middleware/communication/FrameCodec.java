package io.multimed.middleware.communication;

import io.multimed.protocol.Frame;
import io.multimed.protocol.Protocol;
import io.multimed.protocol.ProtocolException;
import io.multimed.protocol.WireWriter;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.codec.CumulativeProtocolDecoder;
import org.apache.mina.filter.codec.ProtocolCodecFactory;
import org.apache.mina.filter.codec.ProtocolDecoder;
import org.apache.mina.filter.codec.ProtocolDecoderOutput;
import org.apache.mina.filter.codec.ProtocolEncoder;
import org.apache.mina.filter.codec.ProtocolEncoderAdapter;
import org.apache.mina.filter.codec.ProtocolEncoderOutput;

/** Bytes to frames and back. A length is checked before anything is allocated for it. */
final class FrameCodec implements ProtocolCodecFactory {
    private final int maxFrame;

    /** @param maxFrame bytes of a frame at most */
    FrameCodec(int maxFrame) {
        this.maxFrame = maxFrame;
    }

    @Override
    public ProtocolEncoder getEncoder(IoSession session) {
        return new Encoder();
    }

    @Override
    public ProtocolDecoder getDecoder(IoSession session) {
        return new Decoder();
    }

    /** Encodes on the thread that answers; each thread keeps a buffer. */
    private static final class Encoder extends ProtocolEncoderAdapter {
        private static final ThreadLocal<WireWriter> SCRATCH = ThreadLocal.withInitial(WireWriter::new);

        @Override
        public void encode(IoSession session, Object message, ProtocolEncoderOutput out) {
            WireWriter scratch = SCRATCH.get();
            Frame frame = (Frame) message;
            out.write(IoBuffer.wrap(Frame.encode(frame.sequence(), frame.message(), scratch)));
        }
    }

    private final class Decoder extends CumulativeProtocolDecoder {
        @Override
        protected boolean doDecode(IoSession session, IoBuffer in, ProtocolDecoderOutput out) {
            if (in.remaining() < Protocol.LENGTH) {
                return false;
            }
            int length = in.getInt(in.position());
            if (length < Protocol.HEADER || length > maxFrame) {
                throw new ProtocolException("a frame of %d bytes; this server takes 5 to %d (listen.max-frame)"
                        .formatted(length, maxFrame));
            }
            if (in.remaining() < Protocol.LENGTH + length) {
                return false;
            }
            in.skip(Protocol.LENGTH);
            byte[] bytes = new byte[length];
            in.get(bytes);
            out.write(Frame.decode(bytes));
            return true;
        }
    }
}
