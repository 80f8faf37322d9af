DELETE FROM payment WHERE id IN (SELECT id FROM archive.old_payment);
