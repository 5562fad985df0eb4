//! Flow hook.
