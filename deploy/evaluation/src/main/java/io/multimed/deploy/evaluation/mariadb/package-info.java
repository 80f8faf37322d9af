/** Figures of MariaDB. */
@NullMarked
package io.multimed.deploy.evaluation.mariadb;

import org.jspecify.annotations.NullMarked;
