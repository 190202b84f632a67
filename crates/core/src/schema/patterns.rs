//! The rules of strings as regular expressions, in what every dialect understands: no look-around, no `\s`, which means
//! something else in each.

/// Something besides white space, as Unicode's `White_Space` and [`str::trim`] have it.
pub(super) const FILLED: &str = r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// [`crate::grammar::time`].
pub(super) const TIME: &str = "^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$";

/// [`crate::grammar::pages`], but for the order within a range.
pub(super) const PAGES: &str = "^0*[1-9][0-9]{0,8}(-0*[1-9][0-9]{0,8})?(,0*[1-9][0-9]{0,8}(-0*[1-9][0-9]{0,8})?)*$";

/// [`crate::grammar::volume`], but for its length. The unit belongs to the second form, where the sign may be either.
pub(super) const VOLUME: &str = concat!(
    r"^(\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?",
    r"|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?dB)$",
);

/// A text that is not blank and can be sent as a header, which an upload's media type is.
pub(super) const HEADER_VALUE: &str = "^[ -~]*[!-~][ -~]*$";
