// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What satellites may read for the engine roles of users. */
@NullMarked
package io.multimed.server.dispatcher.rights;

import org.jspecify.annotations.NullMarked;
