package io.multimed.jdbc;

import io.multimed.protocol.value.Parameter;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** Of an engine that does not say otherwise. */
final class StandardManners implements Manners {
    private final boolean untypedTexts;

    /** @param untypedTexts whether a text parameter has the type that the statement expects */
    StandardManners(boolean untypedTexts) {
        this.untypedTexts = untypedTexts;
    }

    @Override
    public Parameter sent(Parameter given) {
        boolean isText = given.sqlType() == Types.VARCHAR && (given.value() == null || given.value() instanceof String);
        return untypedTexts && isText ? new Parameter(Types.OTHER, given.value()) : given;
    }

    @Override
    public Parameter object(@Nullable Object value) throws SQLException {
        return Binding.object(value);
    }

    @Override
    public Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException {
        return Binding.object(value, sqlType, scale);
    }
}
