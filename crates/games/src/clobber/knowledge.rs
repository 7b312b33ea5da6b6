//! What is known of a Clobber position without search.
