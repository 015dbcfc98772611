"""What is counted: the public domain, private records, tables of fractions."""
