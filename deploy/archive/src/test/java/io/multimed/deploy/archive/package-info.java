// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of the release archive, after it is built: each unpacks the archive and runs what it contains. */
package io.multimed.deploy.archive;
