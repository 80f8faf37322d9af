// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Reads YAML as texts with their lines, and collects the problems found in them. The only
 * keys of the System Model in this package are those of passwords.
 */
@NullMarked
package io.multimed.model.yaml;

import org.jspecify.annotations.NullMarked;
