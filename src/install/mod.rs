//! Flow install.
