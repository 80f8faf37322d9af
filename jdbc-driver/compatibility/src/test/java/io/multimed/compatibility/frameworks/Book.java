// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/** An entity with the types that applications use. */
@Entity
@Table(name = "book")
class Book {
    enum Binding {
        PAPER,
        CLOTH
    }

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @Version
    int version;

    @Column(nullable = false, unique = true)
    String title;

    BigDecimal price;

    @Enumerated(EnumType.STRING)
    Binding binding;

    LocalDate published;
    Instant added;
    UUID code;
    boolean available;
    byte[] cover;

    @ManyToOne(fetch = FetchType.LAZY, cascade = CascadeType.PERSIST)
    Author author;

    Book() {}

    Book(String title, BigDecimal price, Author author) {
        this.title = title;
        this.price = price;
        this.author = author;
    }
}
