DROP INDEX ${index};
