-- Makes all indexes anew from their tables.
REINDEX;
