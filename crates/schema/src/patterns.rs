//! The rules of strings as regular expressions, in the syntax that all dialects share. This syntax
//! has no look-around, and no `\s`, whose meaning differs between dialects.

/// At least one character that is not white space, by Unicode's `White_Space` as in [`str::trim`].
pub(super) const FILLED: &str =
    r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// A time in a video, see [`mediagate_core::grammar::time`].
pub(super) const TIME: &str = "^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$";

/// A string that is not blank and can be a header value, such as an upload's media type.
pub(super) const HEADER_VALUE: &str = "^[ -~]*[!-~][ -~]*$";
