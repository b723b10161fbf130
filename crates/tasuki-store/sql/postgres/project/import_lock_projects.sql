-- Lets no process create a project until the end of the transaction.
LOCK TABLE project IN SHARE ROW EXCLUSIVE MODE;
