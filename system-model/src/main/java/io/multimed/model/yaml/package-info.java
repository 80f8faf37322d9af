/** Reads YAML as texts with their lines, and collects the problems found in them. Knows no key of the System Model. */
@NullMarked
package io.multimed.model.yaml;

import org.jspecify.annotations.NullMarked;
