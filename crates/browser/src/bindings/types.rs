//! Types
