-- Takes Multimed's schema out of a master. The triggers called multimed_... on the tables go by DROP TRIGGER, each for itself. The data stays.
DROP DATABASE IF EXISTS multimed;
