-- database: project
-- Everything that stood in them is in sheaves now.

DROP TABLE leaf;

DROP TABLE document;
