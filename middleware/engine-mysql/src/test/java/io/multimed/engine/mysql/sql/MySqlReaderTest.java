// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.protocol.value.Parameter;
import java.sql.Connection;
import java.sql.Types;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a statement is a pure read only if this is proved; other statements run on the master. */
class MySqlReaderTest {
    private static final SqlReader READER = new MySqlReader();
    private static final ReadProof PROOF =
            new ReadProof(READER.readRules(), new SchemaFacts(MySqlReadRules.PURE_FUNCTIONS, Set.of(), false, false));

    private static Classification classification(String sql) {
        return READER.classify(READER.read(sql), () -> PROOF);
    }

    private static Kind kind(String sql) {
        return classification(sql).kind();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE multimed",
                "USE `MULTIMED`",
                "USE mult\u0130med",
                "SELECT scn FROM multimed.sealed",
                "(SELECT 1 FROM `multimed`.base FOR UPDATE)",
                "ANALYZE UPDATE multimed.session SET transaction_id = 1",
                "EXPLAIN ANALYZE DELETE FROM multimed.captured",
                "/*!50000 DELETE FROM */ multimed . captured",
                "WITH x AS (SELECT 1) DELETE FROM multimed.sealed",
                "CREATE VIEW v AS SELECT * FROM multimed.session",
                "CREATE FUNCTION f() RETURNS INT BEGIN UPDATE multimed.session SET transaction_id = 1; RETURN 1; END",
                "KILL 5",
                "KILL QUERY 5",
                "/*!50000 KILL */ HARD CONNECTION 5"
            })
    void shouldRefuseAccessToMultimedsObjects(String sql) {
        assertThat(kind(sql)).isEqualTo(Kind.REFUSED);
    }

    @Test
    void shouldPermitVariablesOfAnyName() {
        assertThat(kind("SELECT @multimed_changes := 0")).isEqualTo(Kind.SESSION_STATE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "select `a`, max(b) from `t` where c = ? group by a order by 2 limit 5, 50",
                "SELECT a FROM t WHERE b IN (SELECT c FROM u) AND d = 'update x' -- delete",
                "SELECT a FROM t # FOR UPDATE\n WHERE b = 1",
                "SELECT a FROM t /* FOR UPDATE */ WHERE b LIKE '100\\\\%'",
                "SELECT a FROM t WHERE b = \"x\"",
                "SELECT a FROM t WHERE b = 'it''s' AND c = 'O\\nK'",
                "SELECT a-- 1\n FROM t",
                "SELECT 5--1",
                "SELECT 1.5e3, 0xFF, x'41', b'01', _utf8mb4'a', N'b'",
                "SELECT t.a, COUNT(*) FROM shop.t AS t LEFT JOIN `u` USING (id) GROUP BY t.a WITH ROLLUP",
                "SELECT IF(a > 1, 'x', 'y'), IFNULL(b, 0), DATE_ADD(c, INTERVAL 1 DAY), CONCAT(d, '!') FROM t",
                "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ', ') FROM t",
                "WITH x (a) AS (SELECT 1) SELECT * FROM x",
                "(SELECT a FROM t) UNION ALL (SELECT b FROM u) ORDER BY 1",
                "SELECT i_id, i_title FROM item, author WHERE i_a_id = a_id AND SUBSTRING(SOUNDEX(a_lname), 1, 4) = SUBSTRING(SOUNDEX(?), 1, 4) LIMIT 50"
            })
    void shouldProvePureReads(String sql) {
        assertThat(kind(sql)).isEqualTo(Kind.PURE_READ);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t FOR UPDATE",
                "SELECT * FROM t LOCK IN SHARE MODE",
                "SELECT * FROM t FOR SHARE SKIP LOCKED",
                "SELECT * FROM t /*! FOR UPDATE */",
                "SELECT * FROM t /*!50000 FOR UPDATE */",
                "SELECT * FROM t /*M!100100 FOR UPDATE */",
                "SELECT a -- ' \n INTO OUTFILE 'x' FROM t",
                "SELECT 'a\\' FROM t -- ', ' FOR UPDATE",
                "SELECT @a, @@version",
                "SELECT NEXT VALUE FOR s",
                "SELECT SQL_CALC_FOUND_ROWS a FROM t LIMIT 1",
                "SELECT * FROM t FOR SYSTEM_TIME ALL",
                "WITH x AS (SELECT 1) DELETE FROM t",
                "UPDATE t, u SET t.a = u.a",
                "REPLACE INTO t VALUES (1)",
                "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2",
                "LOAD DATA INFILE 'x' INTO TABLE t",
                "SELECT f(\"a\" (1)) FROM t",
                "not SQL at all",
                ""
            })
    void shouldSendEverythingElseToTheMaster(String sql) {
        assertThat(kind(sql)).isIn(Kind.MASTER, Kind.EFFECT);
    }

    /** MariaDB and MySQL execute comments for different versions, and parse the versions differently. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = 1 /*!80000 WHERE '*/ /*M!100000 ; COMMIT # '*/",
                "SELECT 1 /*!80000 @@ 'b -- d\n--*/\r/*M!100000 ; SELECT 2",
                "UPDATE t SET a = 1 /*!80000 WHERE '*/ /*!100000 ; COMMIT # '*/",
                "UPDATE t SET a = 1 /*!80400 WHERE '*/ /*!80000 ; COMMIT # '*/",
                "UPDATE t SET a = 5+/*!100000, b = 1 */",
                "SELECT 1 /*!0500001, f() */",
                "SELECT 1 /*!50000 ; SELECT 2 */* c */ 3",
                "SELECT 1 /*M!100000 ; # c\n*//*+ ",
                "SELECT 1 /*!80000 ' */ /*!90000 /*+ '*/ ' */"
            })
    void shouldRefuseTextsThatAnEngineMayReadOtherwise(String sql) {
        assertThat(MySqlTexts.read(sql).refusal()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 /*!80000 , 'a' */ /*M!100000 , 'b' */ /*!100100 , 'c' */",
                "/*!40101 SET @a = 1 */",
                "/*!50003 CREATE TRIGGER f BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END */",
                "UPDATE t SET a = 1 /*!050000 , b = 1 */"
            })
    void shouldAcceptCommentsForVersionsThatDoNotHideStatements(String sql) {
        assertThat(MySqlTexts.read(sql).refusal()).isEmpty();
    }

    /** On some version of an engine, these are users' functions. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT @@version, max (5)",
                "SELECT @@version, user/**/(5)",
                "SELECT @@version, `max`(5)",
                "SELECT @@version, md5(5)",
                "SELECT @@version, nvl(5)",
                "SELECT @@version, format_bytes(5)",
                "SELECT @@version, grouping(5)"
            })
    void shouldNotTrustFunctionsThatUsersMayHaveBesideSettings(String sql) {
        assertThat(kind("SELECT @@version, upper(user()), max(5) IN (1)")).isEqualTo(kind("SELECT @@version"));
        assertThat(kind(sql)).isEqualTo(kind("SELECT @@version, f(5)")).isNotEqualTo(kind("SELECT @@version"));
    }

    @Test
    void shouldTrustTheEnginesOwnFunctionsOnly() {
        assertThat(kind("SELECT lower(a) FROM t")).isEqualTo(Kind.PURE_READ);
        assertThat(kind("SELECT rand()")).isEqualTo(Kind.QUERY);
        assertThat(kind("SELECT shop.lower(a) FROM t")).isEqualTo(Kind.EFFECT);
        assertThat(kind("SELECT `evil`(1)")).isEqualTo(Kind.EFFECT);
        assertThat(kind("SELECT 2lower(1)")).isEqualTo(Kind.EFFECT);
        assertThat(classification("SELECT evil(1)").review()).isEqualTo(Review.ALWAYS);
    }

    @Test
    void shouldRecognizeAWordDirectlyAfterANumber() {
        assertThat(READER.read("SELECT 1.5INTO @a").has("INTO")).isTrue();
        assertThat(READER.read("SELECT 1e5INTO @a").has("INTO")).isTrue();
        assertThat(READER.read("SELECT .5e-3INTO @a").has("INTO")).isTrue();
        assertThat(READER.read("SELECT t.5into, 1into, @1.5into FROM t").has("INTO"))
                .isFalse();
    }

    @Test
    void shouldNotTakeANameBeforeAStringForBits() {
        assertThat(READER.read("SELECT @x'41\\' INTO @a -- '").has("INTO")).isFalse();
        assertThat(READER.read("SELECT t.b'41\\' INTO @a -- ' FROM t").has("INTO"))
                .isFalse();
        assertThat(READER.read("SELECT x'41'INTO @a").has("INTO")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET NAMES gbk",
                "SET NAMES 'sjis'",
                "SET CHARACTER SET big5",
                "SET @@session.character_set_client = gb18030",
                "SET character_set_client = @a",
                "IF 1 THEN COMMIT; END IF",
                "{fn COMMIT}"
            })
    void shouldRefuseSettingsThatChangeTheSyntaxOfStrings(String sql) {
        assertThat(kind(sql)).isEqualTo(Kind.REFUSED);
    }

    @Test
    void shouldNotSendSeveralStatementsInOneText() {
        assertThat(Connections.oneByOne("jdbc:mysql://h/d?rewriteBatchedStatements=true&allowmultiqueries=yes&a=b"))
                .isEqualTo("jdbc:mysql://h/d?rewriteBatchedStatements=false&allowmultiqueries=false&a=b");
        assertThat(kind("SET NAMES utf8mb4")).isEqualTo(Kind.SESSION_STATE);
    }

    @Test
    void shouldLeaveTheCatalogToTheMaster() {
        assertThat(kind("SELECT * FROM information_schema.tables")).isEqualTo(Kind.CATALOG);
        assertThat(kind("SELECT DATABASE(), VERSION()")).isEqualTo(Kind.CATALOG);
        assertThat(kind("SELECT JSON_TYPE(j) FROM t")).isEqualTo(Kind.CATALOG);
        assertThat(kind("SHOW TABLES")).isEqualTo(Kind.CATALOG);
        assertThat(kind("DESC t")).isEqualTo(Kind.CATALOG);
        assertThat(kind("EXPLAIN ANALYZE UPDATE t SET a = 1")).isEqualTo(Kind.MASTER);
        assertThat(kind("ANALYZE UPDATE t SET a = 1")).isEqualTo(Kind.MASTER);
    }

    @Test
    void shouldNameTheTablesOfARead() {
        assertThat(classification(
                                "SELECT 1 FROM Item i JOIN shop.`author` a ON i.a = a.b WHERE EXISTS (SELECT 1 FROM orders)")
                        .tables())
                .containsExactlyInAnyOrder("item", "shop.author", "orders");
    }

    @Test
    void shouldKnowTheWordsThatEndAndBeginTransactions() {
        assertThat(classification("START TRANSACTION").has(Trait.COMMITS_BEFORE))
                .isTrue();
        assertThat(kind("START TRANSACTION READ WRITE")).isEqualTo(Kind.BEGIN);
        assertThat(kind("BEGIN WORK")).isEqualTo(Kind.BEGIN);
        assertThat(kind("BEGIN NOT ATOMIC SELECT 1; END")).isEqualTo(Kind.REFUSED);
        assertThat(classification("START TRANSACTION READ ONLY").modes().readOnly())
                .isTrue();
        assertThat(classification("START TRANSACTION WITH CONSISTENT SNAPSHOT")
                        .modes()
                        .snapshot())
                .isTrue();
        assertThat(kind("commit;")).isEqualTo(Kind.COMMIT);
        assertThat(kind("COMMIT AND CHAIN")).isEqualTo(Kind.REFUSED);
        assertThat(kind("COMMIT AND NO CHAIN NO RELEASE")).isEqualTo(Kind.COMMIT);
        assertThat(kind("ROLLBACK")).isEqualTo(Kind.ROLLBACK);
        assertThat(kind("ROLLBACK WORK TO SAVEPOINT a")).isEqualTo(Kind.MASTER);
        assertThat(kind("SET autocommit = 1")).isEqualTo(Kind.AUTOCOMMIT_ON);
        assertThat(kind("SET @@session.autocommit=ON;")).isEqualTo(Kind.AUTOCOMMIT_ON);
        assertThat(kind("SET autocommit = 0")).isEqualTo(Kind.AUTOCOMMIT_OFF);
        assertThat(kind("SET sql_mode = '', autocommit = 1")).isEqualTo(Kind.REFUSED);
        assertThat(kind("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")).isEqualTo(Kind.NEXT_TRANSACTION);
        assertThat(classification("SET SESSION TRANSACTION READ WRITE, ISOLATION LEVEL READ COMMITTED")
                        .modes()
                        .isolation())
                .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    }

    @Test
    void shouldReadTransactionModesFromAssignments() {
        for (String sql : List.of(
                "SET transaction_read_only = 1",
                "SET tx_read_only = ON",
                "SET tx_read_only := 'on'",
                "SET SESSION tx_read_only = TRUE",
                "SET LOCAL `tx_read_only` = 1",
                "SET @@session.tx_read_only = 1",
                "SET @@local.`transaction_read_only` = 1",
                "SET tx_read_only = 0, tx_isolation = 'SERIALIZABLE', tx_read_only = 1")) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.ALL_TRANSACTIONS);
            assertThat(classification(sql).modes().readOnly()).as(sql).isTrue();
        }
        for (String sql : List.of(
                "SET @@transaction_read_only = 0",
                "SET @@tx_read_only = OFF",
                "SET @@`tx_read_only` = FALSE",
                "SET @@tx_isolation = SERIALIZABLE, @@tx_read_only = 0")) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.NEXT_TRANSACTION);
            assertThat(classification(sql).modes().readOnly()).as(sql).isFalse();
        }
        for (String sql : List.of("SET @@tx_isolation = 'read-committed'", "SET @@transaction_isolation = 1")) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.NEXT_TRANSACTION);
            assertThat(classification(sql).modes().isolation())
                    .as(sql)
                    .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        }
        assertThat(classification("SET SESSION tx_isolation = 'SERIALIZABLE'")
                        .modes()
                        .isolation())
                .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }

    @Test
    void shouldRefuseTransactionModesAmongOtherSettings() {
        for (String sql : List.of(
                "SET @x = 1, transaction_read_only = 1",
                "SET transaction_read_only = 1, @x = 1",
                "SET SESSION tx_isolation = 'SERIALIZABLE', @x = 1",
                "SET GLOBAL max_connections = 151, @@tx_read_only = 1",
                "SET tx_read_only = 1, @@tx_read_only = 0",
                "SET tx_read_only = @x",
                "SET tx_read_only = 1 - 0",
                "SET tx_read_only = (SELECT 1)",
                "SET tx_read_only = ?",
                "SET tx_read_only = DEFAULT",
                "SET session.tx_read_only = 0",
                "SET tx_isolation = READ",
                "SET completion_type = 1",
                "SET @x = 1, SESSION completion_type = CHAIN",
                "SET sql_big_selects = 0, max_join_size = 1",
                "SET max_join_size = 1")) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.REFUSED);
        }
        for (String sql : List.of(
                "SET @old = @@tx_isolation",
                "SET @tx_read_only = 1",
                "SET @`tx_read_only` = 1, @x = (SELECT 1, 2)",
                "SET GLOBAL tx_isolation = 'SERIALIZABLE'",
                "SET GLOBAL max_connections = 151, tx_read_only = 1",
                "SET @@global.tx_read_only = 1",
                "SET sql_big_selects = 1")) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.SESSION_STATE);
        }
    }

    @Test
    void shouldPinTheSessionIfStateRemainsInTheEngine() {
        for (String sql : new String[] {
            "SET NAMES utf8mb4",
            "SET @a = 1",
            "SET SESSION sql_mode = 'ANSI_QUOTES'",
            "/*!40101 SET NAMES utf8 */",
            "SELECT a INTO @x FROM t",
            "SELECT @a := @a + 1 FROM t",
            "UPDATE t SET a = (@x := 5)",
            "SELECT GET_LOCK('a', 1)",
            "DO GET_LOCK('a', 1)",
            "CREATE TEMPORARY TABLE t (a INT)",
            "CREATE OR REPLACE TEMPORARY TABLE t (a INT)",
            "USE shop"
        }) {
            assertThat(kind(sql)).as(sql).isEqualTo(Kind.SESSION_STATE);
        }
        assertThat(classification("CALL p()").review()).isEqualTo(Review.ALWAYS);
        assertThat(classification("DROP TEMPORARY TABLE t").review()).isEqualTo(Review.IF_PINNED);
        assertThat(classification("SELECT RELEASE_LOCK('a')").review()).isEqualTo(Review.IF_PINNED);
        assertThat(classification("SET timestamp = 5").settings()).containsExactly(Classification.ANY_SETTING);
    }

    @Test
    void shouldReviewTheSessionAfterStatementsOfAnyFormThatMayLeaveState() {
        for (String sql : new String[] {
            "ANALYZE SELECT GET_LOCK('a', 1)",
            "EXPLAIN SELECT * FROM (SELECT GET_LOCK('a', 1)) d",
            "SHOW TABLES WHERE GET_LOCK('a', 1)",
            "CALL p(GET_LOCK('a', 1))",
            "SELECT `get_lock`('a', 1)",
            "SET @a = GET_LOCK('a', 1)",
            "SELECT GET_LOCK('a', 1) INTO @a",
            "SET STATEMENT max_statement_time = 9 FOR DO GET_LOCK('a', 1)",
            "CREATE TABLE t AS SELECT GET_LOCK('a', 1)"
        }) {
            assertThat(lock(sql)).as(sql).startsWith(MySqlSessions.LOCK);
            assertThat(classification(sql).review()).as(sql).isEqualTo(Review.ALWAYS);
        }
        for (String sql : new String[] {
            "SHOW VARIABLES WHERE (@z := 7) = 8",
            "EXPLAIN SELECT f(1)",
            "DESC SELECT * FROM (SELECT `f`(1)) d",
            "CREATE TABLE t SELECT 1",
            "CREATE TABLE t AS VALUES (1)",
            "PURGE BINARY LOGS BEFORE f()"
        }) {
            assertThat(classification(sql).review()).as(sql).isEqualTo(Review.ALWAYS);
        }
    }

    @Test
    void shouldNotReviewTheSessionAfterPlainStatements() {
        for (String sql : new String[] {
            "INSERT INTO t (a, b) VALUES (UPPER('a'), @b)",
            "UPDATE t SET a = f(a) WHERE b IN (1, 2)",
            "SELECT a FROM t WHERE b = 1 FOR UPDATE",
            "SHOW VARIABLES LIKE 'lower_case_%'",
            "EXPLAIN SELECT COUNT(*) FROM t WHERE a IN (1, 2)",
            "EXPLAIN FORMAT=JSON SELECT JSON_EXTRACT(a, '$.b'), NOW() FROM t",
            "CREATE TABLE t (a VARCHAR(9), b INT DEFAULT 5, PRIMARY KEY (a))",
            "ALTER TABLE t ADD COLUMN get_lock VARCHAR(9)",
            "CREATE FUNCTION f() RETURNS INT RETURN GET_LOCK('a', 1)",
            "CREATE VIEW v AS SELECT GET_LOCK('a', 1)"
        }) {
            assertThat(classification(sql).review()).as(sql).isEqualTo(Review.NEVER);
        }
    }

    @Test
    void shouldFindTheNamesOfLocks() {
        assertThat(lock("SELECT GET_LOCK('a', 1)")).isEqualTo("lock IS_USED_LOCK('a' ) = CONNECTION_ID()");
        assertThat(lock("SELECT GET_LOCK(?, 1)", "x")).isEqualTo("lock IS_USED_LOCK(_utf8mb4 x'78') = CONNECTION_ID()");
        assertThat(lock("SELECT ?, GET_LOCK(concat('a', ?), ?)", 7, "x", 1))
                .isEqualTo("lock IS_USED_LOCK(concat( 'a' , _utf8mb4 x'78') ) = CONNECTION_ID()");
        assertThat(lock("DO GET_LOCK('a' 'b', 1), GET_LOCK(5, ?)", 1))
                .isEqualTo("lock IS_USED_LOCK('a' 'b' ) = CONNECTION_ID() OR IS_USED_LOCK(5) = CONNECTION_ID()");
        for (String sql : List.of(
                "SELECT GET_LOCK(?, 1)",
                "SELECT GET_LOCK(name, 1) FROM locks",
                "SELECT GET_LOCK(@name, 1)",
                "SELECT GET_LOCK(\"a\", 1)",
                "SELECT GET_LOCK(uuid(), 1)",
                "SELECT GET_LOCK((SELECT 'a'), 1)",
                "SELECT GET_LOCK('a', 1), GET_LOCK(rand(), 1)",
                "SELECT GET_LOCK")) {
            assertThat(lock(sql)).as(sql).isEqualTo(MySqlSessions.ANY_LOCK);
        }
        assertThat(lock("SELECT RELEASE_ALL_LOCKS()")).isEqualTo(MySqlSessions.NO_LOCKS);
    }

    private static String lock(String sql, Object... parameters) {
        List<Parameter> bound = Stream.of(parameters)
                .map(value -> new Parameter(Types.OTHER, value))
                .toList();
        return classification(sql).settings().stream()
                .map(setting -> NamedLocks.bound(setting, bound))
                .collect(Collectors.joining());
    }

    @Test
    void shouldFindStatementsThatReadTheLastKey() {
        assertThat(classification("SELECT LAST_INSERT_ID()").has(Trait.ASKS_LAST_KEY))
                .isTrue();
        assertThat(classification("SELECT @@identity").has(Trait.ASKS_LAST_KEY)).isTrue();
        assertThat(classification("INSERT INTO c VALUES (LAST_INSERT_ID(), 1)").has(Trait.ASKS_LAST_KEY))
                .isTrue();
        assertThat(classification("SELECT last_insert_id FROM t").has(Trait.ASKS_LAST_KEY))
                .isFalse();
    }

    @Test
    void shouldKnowVariablesWhoseNamesAreInQuotes() {
        assertThat(kind("SET `autocommit` = 0")).isEqualTo(Kind.AUTOCOMMIT_OFF);
        assertThat(kind("SET @@session.`autocommit` := 1")).isEqualTo(Kind.AUTOCOMMIT_ON);
        assertThat(kind("SET @`autocommit` = 0")).isEqualTo(Kind.SESSION_STATE);
        assertThat(kind("SET GLOBAL `sync_binlog` = 0")).isEqualTo(Kind.REFUSED);
        assertThat(kind("SELECT @@`warning_count`")).isEqualTo(Kind.SAME_SESSION);
        assertThat(classification("SET `timestamp` = 5").settings()).containsExactly(Classification.ANY_SETTING);
        assertThat(classification("SELECT @@`identity`").has(Trait.ASKS_LAST_KEY))
                .isTrue();
        assertThat(classification("SELECT t.`identity` FROM t").has(Trait.ASKS_LAST_KEY))
                .isFalse();
    }

    @Test
    void shouldRequireTheSameSessionForItsState() {
        assertThat(kind("SELECT FOUND_ROWS()")).isEqualTo(Kind.SAME_SESSION);
        assertThat(kind("SELECT ROW_COUNT()")).isEqualTo(Kind.SAME_SESSION);
        assertThat(kind("SHOW WARNINGS")).isEqualTo(Kind.SAME_SESSION);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOCK TABLES t WRITE",
                "FLUSH TABLES WITH READ LOCK",
                "XA START 'a'",
                "HANDLER t OPEN",
                "PREPARE s FROM CONCAT('DROP TABLE ', @t)",
                "EXECUTE IMMEDIATE CONCAT('DROP TABLE ', @t)",
                "LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
                "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
                "ALTER TABLE t IMPORT TABLESPACE",
                "CREATE TABLE t (a INT, b INT DEFAULT (@z := 7))",
                "ALTER TABLE t ADD COLUMN b INT DEFAULT (1 + (@z := 7))",
                "DROP TRIGGER multimed_t_insert",
                "DROP DATABASE `multimed`",
                "DELETE FROM multimed.sealed",
                "SET @multimed_writeset = ''"
            })
    void shouldRefuseStatementsThatBypassTheCommitOrder(String sql) {
        assertThat(kind(sql)).isEqualTo(Kind.REFUSED);
    }
}
