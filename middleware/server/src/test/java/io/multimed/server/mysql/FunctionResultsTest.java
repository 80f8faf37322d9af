// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Results of functions, which the engine's own driver reads as columns of their types, and not as user variables. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class FunctionResultsTest {
    /** A type, the registered type, and a value in SQL. */
    private record Result(String type, int registered, String value) {}

    private static final List<Result> RESULTS = List.of(
            new Result("int", Types.INTEGER, "-7"),
            new Result("bigint unsigned", Types.BIGINT, "9223372036854775807"),
            new Result("decimal(10,2)", Types.DECIMAL, "7.50"),
            new Result("double", Types.DOUBLE, "0.1"),
            new Result("varchar(20)", Types.VARCHAR, "'ä'"),
            new Result("varbinary(5)", Types.VARBINARY, "x'00ff'"),
            new Result("date", Types.DATE, "'2024-02-29'"),
            new Result("time", Types.TIME, "'12:34:00'"),
            new Result("time(6)", Types.TIME, "'12:34:56.789012'"),
            new Result("datetime", Types.TIMESTAMP, "'2024-02-29 00:00:00'"),
            new Result("datetime(6)", Types.TIMESTAMP, "'2024-02-29 12:34:56.789012'"),
            new Result("timestamp(3)", Types.TIMESTAMP, "'2024-02-29 12:34:56.789'"));

    private interface Getter {
        Object get(CallableStatement call) throws SQLException;
    }

    private static final Map<String, Getter> GETTERS = new LinkedHashMap<>();

    static {
        GETTERS.put("getObject", call -> call.getObject(1));
        GETTERS.put("getString", call -> call.getString(1));
        GETTERS.put("getBytes", call -> Arrays.toString(call.getBytes(1)));
        GETTERS.put("getInt", call -> call.getInt(1));
        GETTERS.put("getBigDecimal", call -> call.getBigDecimal(1));
        GETTERS.put("getTime", call -> call.getTime(1).getTime());
        GETTERS.put("getTimestamp", call -> call.getTimestamp(1));
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldReturnTheResultsOfFunctionsAsTheEnginesOwnDriver(String engine) throws Exception {
        SoftAssertions soft = new SoftAssertions();
        try (TestCluster cluster = TestCluster.withSatellites(engine, 0);
                Connection ours = cluster.connect();
                Connection engines = cluster.direct("master")) {
            for (Result result : RESULTS) {
                Sql.run(
                        ours,
                        "DROP FUNCTION IF EXISTS given",
                        "CREATE FUNCTION given() RETURNS %s DETERMINISTIC NO SQL RETURN %s"
                                .formatted(result.type(), result.value()));
                GETTERS.forEach((name, getter) -> soft.assertThat(outcome(ours, result, getter))
                        .as("%s of %s %s", name, result.type(), result.value())
                        .isEqualTo(outcome(engines, result, getter)));
            }
        }
        soft.assertAll();
    }

    private static String outcome(Connection connection, Result result, Getter getter) {
        try (CallableStatement call = connection.prepareCall("{? = call given()}")) {
            call.registerOutParameter(1, result.registered());
            call.execute();
            Object value = getter.get(call);
            return value instanceof byte[] bytes
                    ? Arrays.toString(bytes)
                    : value.getClass().getSimpleName() + " " + value;
        } catch (SQLException e) {
            return "SQLException";
        }
    }
}
