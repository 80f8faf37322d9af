DROP INDEX ${index} ON ${table};
