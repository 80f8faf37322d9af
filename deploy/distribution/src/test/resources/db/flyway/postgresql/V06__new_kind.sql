ALTER TYPE payment_kind ADD VALUE 'wire' BEFORE 'cash';
