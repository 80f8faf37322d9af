// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import jakarta.persistence.EntityManager;
import java.math.BigDecimal;
import java.util.List;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.springframework.transaction.annotation.Transactional;

/** A service with declared transactions. */
class BookShop {
    private final Books books;
    private final EntityManager manager;

    BookShop(Books books, EntityManager manager) {
        this.books = books;
        this.manager = manager;
    }

    /** The node that answered last in the transaction that is open. */
    private String node() {
        return manager.unwrap(Session.class).doReturningWork(Shop::lastNode);
    }

    record Answer<T>(T value, String node) {}

    @Transactional
    public Answer<Long> add(Book book) {
        Long id = books.saveAndFlush(book).id;
        return new Answer<>(id, node());
    }

    @Transactional(readOnly = true)
    public Answer<List<String>> titlesOf(String author) {
        List<String> titles = books.titlesOf(author);
        return new Answer<>(titles, node());
    }

    @Transactional(readOnly = true)
    public Answer<Book> find(String title) {
        Book book = books.findByTitle(title).orElseThrow();
        if (book.author != null) {
            Hibernate.initialize(book.author);
        }
        return new Answer<>(book, node());
    }

    /** Reads only, in a transaction that is not declared read-only. */
    @Transactional
    public Answer<List<String>> browse(String title) {
        Book book = books.findByTitle(title).orElseThrow();
        List<String> cheaper = books.findByPriceLessThanOrderByTitle(book.price).stream()
                .map(each -> each.title)
                .toList();
        return new Answer<>(cheaper, node());
    }

    /** Reads, decides, writes: one transaction on the master. */
    @Transactional
    public Answer<BigDecimal> discount(String title) {
        Book book = books.findByTitle(title).orElseThrow();
        book.price = book.price.subtract(BigDecimal.ONE);
        books.flush();
        return new Answer<>(book.price, node());
    }

    @Transactional
    public int raise(String title) {
        return books.raise(title);
    }

    @Transactional
    public void addAndFail(Book book) {
        books.saveAndFlush(book);
        throw new IllegalStateException("changed our mind");
    }

    @Transactional(readOnly = true)
    public void writeAlthoughReadOnly(String title) {
        books.raise(title);
    }
}
