//! Flow meter.
