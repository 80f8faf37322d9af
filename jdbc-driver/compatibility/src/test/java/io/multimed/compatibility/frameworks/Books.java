// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

/** A repository that Spring Data implements. */
interface Books extends JpaRepository<Book, Long> {
    Optional<Book> findByTitle(String title);

    List<Book> findByPriceLessThanOrderByTitle(BigDecimal price);

    @Query("select b.title from Book b join b.author a where a.name = ?1 order by b.title")
    List<String> titlesOf(String author);

    @Modifying
    @Query("update Book b set b.price = b.price + 1 where b.title = ?1")
    int raise(String title);
}
