package io.multimed.compatibility.frameworks;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Its keys come from a sequence, in blocks, as Hibernate does it by default. */
@Entity
@Table(name = "author")
class Author {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    Long id;

    String name;

    Author() {}

    Author(String name) {
        this.name = name;
    }
}
