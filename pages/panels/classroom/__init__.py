"""Parts of the live classroom: the phone page with its routes, and the teacher's side."""
