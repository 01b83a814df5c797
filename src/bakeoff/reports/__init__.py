"""What people put in a paper: paragraphs, tables, references and files, all of them views of one verdict."""
