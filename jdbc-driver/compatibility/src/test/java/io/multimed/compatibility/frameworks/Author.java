package io.multimed.compatibility.frameworks;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** Its keys come from a sequence, in blocks, as Hibernate does it by default. */
@Entity
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
