// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The databases that are measured: plain engines and Multimed, each in processes of its own on its own cores. */
@NullMarked
package io.multimed.deploy.evaluation.database;

import org.jspecify.annotations.NullMarked;
