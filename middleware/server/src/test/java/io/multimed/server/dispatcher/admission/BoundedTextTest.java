// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BoundedTextTest {
    private static boolean found(String pattern, String text) {
        return BoundedText.mayContain(text, Pattern.compile(pattern, Pattern.DOTALL));
    }

    @Test
    void shouldFindWhatTheExpressionFinds() {
        assertThat(found("from a.*group by", "select b from a where c group by b"))
                .isTrue();
        assertThat(found("from a.*group by", "select b from a where c")).isFalse();
        assertThat(found("zz$", "y".repeat(1_000_000) + "zz")).isTrue();
        assertThat(found("zz$", "y".repeat(1_000_000))).isFalse();
    }

    @Test
    @Timeout(60)
    void shouldCountATextThatTakesTooLongAsMatching() {
        assertThat(found("(y*)(y*)(y*)(y*)(y*)(y*)(y*)z", "y".repeat(200))).isTrue();
    }

    @Test
    void shouldCountATextThatNeedsTooMuchStackAsMatching() {
        assertThat(found("^(x|y)*z", "y".repeat(100_000))).isTrue();
    }
}
