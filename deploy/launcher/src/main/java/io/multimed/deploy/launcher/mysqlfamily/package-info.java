/** What the servers of MariaDB and MySQL have in common. */
@NullMarked
package io.multimed.deploy.launcher.mysqlfamily;

import org.jspecify.annotations.NullMarked;
