// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import java.util.Map;

/** What Java Management Extensions show of a middleware, or of a dispatcher within an application. */
public interface MiddlewareMXBean {
    /** Returns the database of the System Model. */
    String getDatabase();

    /** Returns the properties of each node, by its name: columns of SHOW MULTIMED STATUS that matter to operators. */
    Map<String, Map<String, String>> getNodes();

    /** Returns all metrics, by their names with the labels in braces. */
    Map<String, Double> getMetrics();
}
