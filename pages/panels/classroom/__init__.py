"""Parts of the page Classroom: the teacher's side, and the phones'."""
