//! Functions that join and split strings. The standard library's own functions handle every kind of
//! pattern, which would be a thirtieth of what a page downloads.

use alloc::string::String;

/// Joins the parts into one string.
pub fn concat(parts: &[&str]) -> String {
    let mut whole = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| whole.push_str(part));
    whole
}

/// Splits a text at the first of the ASCII characters in `at`. Returns `None` as the second part if
/// there is none.
#[expect(
    clippy::manual_contains,
    reason = "the standard library's own brings its fastest search with it"
)]
pub fn cut<'a>(text: &'a str, at: &[u8]) -> (&'a str, Option<&'a str>) {
    match text
        .bytes()
        .position(|byte| at.iter().any(|mark| *mark == byte))
    {
        Some(index) => (text.get(..index).unwrap_or_default(), text.get(index + 1..)),
        None => (text, None),
    }
}

/// Returns the part after the last occurrence of an ASCII character, if there is one.
pub fn after_last(text: &str, at: u8) -> Option<&str> {
    text.get(text.bytes().rposition(|byte| byte == at)? + 1..)
}

/// Returns true if a text has no character but white space.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Parses a number of at most `max_digits` decimal digits. Nine digits fit for sure.
pub(crate) fn whole(text: &str, max_digits: usize) -> Option<u32> {
    let digits = !text.is_empty()
        && text.len() <= max_digits
        && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| {
        text.bytes()
            .fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'))
    })
}

/// Appends a number in decimal. The standard library's number formatting would be a tenth of the
/// client.
pub(crate) fn push_number(text: &mut String, number: usize) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    let digit = number % 10;
    text.push_str("0123456789".get(digit..=digit).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn strings_are_split_at_the_first_separator() {
        assert_eq!(cut("a:b:c", b":"), ("a", Some("b:c")));
        assert_eq!(cut("é+ü;", b";+"), ("é", Some("ü;")));
        assert_eq!(cut("é;", b";"), ("é", Some("")));
        assert_eq!(cut("", b":"), ("", None));
        assert_eq!(after_last("a/b/ç", b'/'), Some("ç"));
        assert_eq!(after_last("a/", b'/'), Some(""));
        assert_eq!(after_last("a", b'/'), None);
    }

    #[test]
    fn a_number_is_written_in_decimal() {
        for number in [0, 1, 9, 10, 11, 99, 100, 909, 1_000, 1_234_567_890] {
            let mut text = String::from("a");
            push_number(&mut text, number);
            assert_eq!(text, format!("a{number}"));
        }
    }

    #[test]
    fn white_space_is_blank() {
        assert!(["", " ", "\t\n\u{a0}\u{2003}"].into_iter().all(is_blank));
        assert!(![" a ", "\u{200b}", "é"].into_iter().any(is_blank));
    }

    #[test]
    fn parts_are_joined_in_order() {
        assert_eq!(concat(&["é", "", "b"]), "éb");
        assert_eq!(concat(&[]), "");
    }
}
