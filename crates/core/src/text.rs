//! Joining and splitting strings. The standard library's own functions handle every kind of pattern, which would be a
//! thirtieth of what a page downloads.

/// The parts joined into one string.
pub fn concat(parts: &[&str]) -> String {
    let mut whole = String::with_capacity(parts.iter().map(|it| it.len()).sum());
    parts.iter().for_each(|it| whole.push_str(it));
    whole
}

/// The part before the first of the ASCII characters in `at`, and the part after it; the whole and `None` where there is
/// none of them.
#[expect(clippy::manual_contains, reason = "the standard library's own brings its fastest search with it")]
pub fn cut<'a>(text: &'a str, at: &[u8]) -> (&'a str, Option<&'a str>) {
    match text.bytes().position(|it| at.iter().any(|mark| *mark == it)) {
        Some(index) => (text.get(..index).unwrap_or_default(), text.get(index + 1..)),
        None => (text, None),
    }
}

/// The part after the last occurrence of an ASCII character; `None` where there is none.
pub fn after_last(text: &str, at: u8) -> Option<&str> {
    text.get(text.bytes().rposition(|it| it == at)? + 1..)
}

/// `path[index]`, without the standard library's number formatting, which would be a tenth of the client.
pub fn element(path: &str, mut index: usize) -> String {
    let mut digits = vec![b'0' + (index % 10) as u8];
    while index >= 10 {
        index /= 10;
        digits.push(b'0' + (index % 10) as u8);
    }
    let digits: String = digits.iter().rev().map(|it| char::from(*it)).collect();
    concat(&[path, "[", &digits, "]"])
}

#[cfg(test)]
mod tests {
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
    fn an_element_has_its_index_in_decimal() {
        for index in [0, 1, 9, 10, 11, 99, 100, 909, 1_000, 1_234_567_890] {
            assert_eq!(element("a.b", index), format!("a.b[{index}]"));
        }
    }

    #[test]
    fn parts_are_joined_in_order() {
        assert_eq!(concat(&["é", "", "b"]), "éb");
        assert_eq!(concat(&[]), "");
    }
}
