/** Tests of the release archive, after it is built: each unpacks the archive and runs what it contains. */
package io.multimed.deploy.archive;
