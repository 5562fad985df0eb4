//! Flow desk.
