//! Parsers for the three kinds of structured strings: times, page ranges, volumes.
//!
//! Written by hand over bytes: a regex engine or the standard library's float parser would be most of what a page
//! downloads.

pub mod pages;
pub mod time;
pub mod volume;

/// An unsigned number of at most `max_digits` decimal digits, and nothing else.
fn whole(text: &str, max_digits: usize) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= max_digits && text.bytes().all(|it| it.is_ascii_digit());
    digits.then(|| text.bytes().fold(0, |sum, it| sum * 10 + u32::from(it - b'0')))
}
