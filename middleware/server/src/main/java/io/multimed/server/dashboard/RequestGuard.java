// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.server.http.HttpAnswer;
import io.multimed.server.http.HttpRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that pages of other sites make with the browser of an operator. The header {@code Host} must be an
 * address or a known name: a site whose name leads to this machine (DNS rebinding) sends its own name. Requests that
 * change something must come from the dashboard's own page.
 */
final class RequestGuard {
    private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");

    private final Set<String> names = new HashSet<>();

    /**
     * @param host of the port, as in the System Model
     * @param further names of the System Model
     */
    RequestGuard(String host, List<String> further) {
        names.add("localhost");
        names.add(host.toLowerCase(Locale.ROOT));
        further.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }

    /** Returns the refusal; empty if the request may go on. */
    Optional<HttpAnswer> check(HttpRequest request) {
        String host = request.header("Host");
        if (host == null || !isKnown(host)) {
            return refusal(
                    HttpAnswer.MISDIRECTED,
                    "the dashboard does not know this host name; use an address, or add the name to dashboard.names");
        }
        String site = request.header("Sec-Fetch-Site");
        boolean isRead = request.method().equals("GET");
        if (isRead) {
            return isForeign(site) && request.path().startsWith("/api/") ? foreign() : Optional.empty();
        }
        if (!request.method().equals("POST")) {
            return refusal(HttpAnswer.NOT_ALLOWED, "use GET or POST");
        }
        return isForeign(site) || !isSame(request.header("Origin"), host) ? foreign() : Optional.empty();
    }

    private boolean isKnown(String host) {
        String name = host.toLowerCase(Locale.ROOT).replaceFirst(":[0-9]{1,5}$", "");
        return names.contains(name) || ADDRESS.matcher(name).matches();
    }

    private static boolean isForeign(@Nullable String site) {
        return site != null && !site.equals("same-origin") && !site.equals("none");
    }

    /** The schemes may differ: a proxy may encrypt. */
    private static boolean isSame(@Nullable String origin, String host) {
        return origin != null && origin.replaceFirst("^https?://", "").equalsIgnoreCase(host);
    }

    private static Optional<HttpAnswer> foreign() {
        return refusal(HttpAnswer.FORBIDDEN, "the request does not come from the page of the dashboard");
    }

    private static Optional<HttpAnswer> refusal(int code, String why) {
        return Optional.of(HttpAnswer.text(code, why));
    }
}
