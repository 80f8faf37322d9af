// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.observation;

import io.multimed.model.yaml.YamlSection;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where spans of statements are sent.
 *
 * @param endpoint receives spans by OTLP over HTTP
 * @param sample share of the statements without a context of the application that are traced, from 0 to 1
 */
public record TracingSettings(URI endpoint, double sample) {
    private static final URI STANDARD = URI.create("http://127.0.0.1:4318/v1/traces");
    private static final double STANDARD_SAMPLE = 0.01;

    public static TracingSettings read(YamlSection section) {
        TracingSettings settings = new TracingSettings(
                section.value("endpoint", STANDARD, TracingSettings::endpoint),
                section.value("sample", STANDARD_SAMPLE, TracingSettings::share));
        section.finish();
        return settings;
    }

    private static URI endpoint(String text) {
        try {
            URI uri = new URI(text);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("\"%s\" is not a URL: %s".formatted(text, e.getReason()), e);
        }
        throw new IllegalArgumentException(
                "\"%s\" is not a URL such as %s, without a user and a password".formatted(text, STANDARD));
    }

    private static double share(String text) {
        if (text.matches("0|1|0?\\.[0-9]{1,9}|1\\.0{1,9}")) {
            return Double.parseDouble(text);
        }
        throw new IllegalArgumentException("\"%s\" is not a number from 0 to 1 such as 0.01".formatted(text));
    }
}
