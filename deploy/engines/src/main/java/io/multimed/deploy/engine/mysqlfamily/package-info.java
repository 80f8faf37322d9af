/** What the servers of MariaDB and MySQL have in common. */
@NullMarked
package io.multimed.deploy.engine.mysqlfamily;

import org.jspecify.annotations.NullMarked;
