//! Verifying
