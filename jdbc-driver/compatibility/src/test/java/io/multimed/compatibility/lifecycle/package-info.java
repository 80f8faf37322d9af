// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests connections, statements and results during other events: a commit, a cancel, a silent master. */
package io.multimed.compatibility.lifecycle;
