use percent_encoding::percent_decode_str;
use unicode_general_category::{GeneralCategory, get_general_category};

const MAX_EXTENSION_CHARS: usize = 10;

/// Joins the words of a text by hyphens, with at most `max` characters.
pub(crate) fn from_words(text: &str, max: usize) -> String {
    let joined = joined(text, is_of_word);
    cut(&joined, max).trim_end_matches('-').to_owned()
}

/// Returns a file's name for the last segment of a URL's path. It has at most `max` characters, and
/// keeps its extension. A name without letters becomes `output`.
pub(crate) fn from_segment(segment: &str, max: usize) -> String {
    let decoded = percent_decode_str(segment).decode_utf8_lossy();
    let name = joined(&decoded, |letter| {
        is_of_word(letter) || "-_.".contains(letter)
    });
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if is_extension(extension) => (stem, Some(extension)),
        _ => (name.as_str(), None),
    };
    // A name that begins with a dot is hidden.
    let stem = stem.trim_start_matches(['.', '-']);
    let stem = if stem.is_empty() { "output" } else { stem };
    match extension {
        Some(extension) => {
            let max = max.saturating_sub(extension.chars().count() + 1);
            format!("{}.{extension}", cut(stem, max))
        }
        None => cut(stem, max).to_owned(),
    }
}

fn is_extension(text: &str) -> bool {
    let is_short = (1..=MAX_EXTENSION_CHARS).contains(&text.chars().count());
    is_short && text.chars().all(char::is_alphanumeric)
}

/// Replaces each run of other characters by one hyphen. None is at an end.
fn joined(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let parts = text.split(|letter| !is_kept(letter));
    // A part may have only marks, for example between two emojis.
    let parts = parts.filter(|part| part.chars().any(|letter| !is_mark(letter)));
    let parts: Vec<_> = parts.collect();
    parts.join("-")
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || is_mark(letter)
}

/// Returns true for a mark, such as a vowel sign of Hindi or a tone of Thai, or a character that
/// joins or parts letters, as in Persian.
fn is_mark(letter: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    let category = get_general_category(letter);
    let is_joiner = matches!(letter, '\u{200c}' | '\u{200d}');
    is_joiner || matches!(category, EnclosingMark | NonspacingMark | SpacingMark)
}

/// Returns at most `max` characters. A letter is kept with all of its marks or not at all, because
/// it is another letter without them.
fn cut(text: &str, max: usize) -> &str {
    let starts: Vec<(usize, char)> = text.char_indices().take(max + 1).collect();
    if starts.len() <= max {
        return text;
    }
    // Drop the last character. If it is a mark, also drop its letter.
    let end = starts.iter().rfind(|(_, letter)| !is_mark(*letter));
    end.map_or("", |(end, _)| &text[..*end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_marks() {
        for (title, expected) in [
            ("A lighthouse at dusk", "A-lighthouse-at-dusk"),
            ("Été à Zürich!", "Été-à-Zürich"),
            ("../../etc/passwd\"\r\n", "etc-passwd"),
            ("हिन्दी में वीडियो", "हिन्दी-में-वीडियो"),
            ("ภาพยนตร์ ที่นี่", "ภาพยนตร์-ที่นี่"),
            ("தமிழ் படம்", "தமிழ்-படம்"),
            (
                "tie\u{302}\u{301}ng Vie\u{323}\u{302}t",
                "tie\u{302}\u{301}ng-Vie\u{323}\u{302}t",
            ),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a 👩\u{200d}👩 b", "a-b"),
            (" … ", ""),
        ] {
            assert_eq!(from_words(title, 60), expected);
        }
    }

    #[test]
    fn a_cut_keeps_a_letter_with_its_marks() {
        assert_eq!(from_words("ab cd", 3), "ab");
        assert_eq!(from_words("हिन्दी", 2), "हि");
        assert_eq!(from_words("हिन्दी", 1), "");
        assert_eq!(
            from_words("e\u{302}\u{301}e\u{302}\u{301}", 5),
            "e\u{302}\u{301}"
        );
        assert_eq!(
            from_words("e\u{302}\u{301}e\u{302}\u{301}", 6),
            "e\u{302}\u{301}e\u{302}\u{301}"
        );
        let long = from_words(&"word ".repeat(50), 60);
        assert!(long.len() <= 60 && long.ends_with("word"), "{long}");
    }

    #[test]
    fn a_name_from_a_url_is_decoded_and_keeps_its_extension() {
        let long = "x".repeat(200);
        for (segment, expected) in [
            ("photo.png", "photo.png"),
            ("my%20photo%20(1).png", "my-photo-1-.png"),
            (
                "%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80.mp4",
                "हिन्दी.mp4",
            ),
            ("a%2F..%2Fb.png", "a-..-b.png"),
            ("..%2F", "output"),
            ("..%2F..%2Fetc", "etc"),
            (".env", "output.env"),
            ("%FF.png", "output.png"),
            ("%F0%9F%98%80.png", "output.png"),
            ("%22%0D%0A", "output"),
            ("", "output"),
            ("archive.tar.gz", "archive.tar.gz"),
            ("no-extension", "no-extension"),
        ] {
            assert_eq!(from_segment(segment, 100), expected, "{segment}");
        }
        let name = from_segment(&format!("{long}.jpeg"), 100);
        assert!(name.ends_with("x.jpeg") && name.len() == 100, "{name}");
        assert_eq!(from_segment(&long, 100).len(), 100);
        assert_eq!(from_segment(&format!("a.{long}"), 100).len(), 100);
    }
}
