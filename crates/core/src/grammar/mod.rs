//! Parsers for the three kinds of structured strings: times, page ranges, volumes.
//!
//! Written by hand over bytes: a regex engine or the standard library's float parser would be most
//! of what a page downloads.

pub mod pages;
pub mod time;
pub mod volume;
