//! ffmpeg volume expressions, as far as upstream documents them: a multiplier or a decibel value (§4.3).

use crate::text::cut;

/// The two forms, each with its number as a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume<'a> {
    /// A factor of 0 or more.
    Multiplier(&'a str),
    /// A change in decibels, negative for quieter.
    Decibels(&'a str),
}

/// The longest expression, in bytes: more digits than any volume needs.
pub(crate) const MAX_BYTES: usize = 24;

/// Parses `0.5`, `2`, `.5`, `1e-1`, `+3dB`, `-6.02dB`. The unit is `dB`, in this case only, as in ffmpeg. `None` for a
/// negative multiplier, a space, and ffmpeg's other expressions (`volume*2`, `0x10`, `1k`, `inf`).
pub fn parse(text: &str) -> Option<Volume<'_>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    match text.strip_suffix("dB") {
        Some(number) => is_number(unsigned(number)).then_some(Volume::Decibels(number)),
        None => is_number(text.strip_prefix('+').unwrap_or(text)).then_some(Volume::Multiplier(text)),
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix('+').or_else(|| text.strip_prefix('-')).unwrap_or(text)
}

/// Digits with at most one point, and an exponent of at most two digits: always a finite float.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = cut(text, b"eE");
    let exponent = exponent.map_or("0", unsigned);
    let (before, after) = cut(mantissa, b".");
    let after = after.unwrap_or_default();
    let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    before.len() + after.len() > 0
        && digits(before)
        && digits(after)
        && (1..=2).contains(&exponent.len())
        && digits(exponent)
}
