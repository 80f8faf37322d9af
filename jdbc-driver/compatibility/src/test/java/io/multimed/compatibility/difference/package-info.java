// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Compares the outcomes of the same calls on the engine's own driver and on Multimed's driver. */
package io.multimed.compatibility.difference;
