//! Rules for members that the document does not list and that may contain an id. In doubt a member
//! counts as one, because an upstream may read names in any case of letters, and with any
//! separator.

use mediagate_core::Field;
use mediagate_core::ids::IdKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Id(IdKind),
    AnyId,
    /// Things of this kind. A string is an id, and so is the member `id` of an object.
    Things(IdKind),
    Other,
}

const KINDS: [(&str, IdKind); 5] = [
    ("file", IdKind::File),
    ("asset", IdKind::Asset),
    ("task", IdKind::Task),
    ("avatar", IdKind::Asset),
    ("voice", IdKind::Asset),
];

pub fn named(name: &str) -> Named {
    let folded = fold(name);
    let is_digit = |letter: char| letter.is_ascii_digit();
    let stem = folded.trim_end_matches(is_digit);
    let ends_with_id = |word: &str| word.ends_with("id") || word.ends_with("ids");
    for (word, kind) in KINDS {
        let Some(at) = stem.rfind(word) else { continue };
        let rest = &stem[at + word.len()..];
        if ends_with_id(rest) {
            return Named::Id(kind);
        }
        // The other words, such as `voice`, are also names of fields without ids.
        if matches!(word, "file" | "asset") && matches!(rest, "" | "s") && is_last_word(name, word)
        {
            return Named::Things(kind);
        }
    }
    let last = words(name)
        .into_iter()
        .rev()
        .map(|word| word.trim_end_matches(is_digit).to_owned());
    match last.into_iter().find(|word| !word.is_empty()) {
        Some(word) if ends_with_id(&word) && !is_ordinary_word(&word) => Named::AnyId,
        _ => Named::Other,
    }
}

/// Words that end like an id and are no ids.
const ORDINARY_WORDS: [&str; 30] = [
    "grid", "mid", "aid", "paid", "said", "raid", "rid", "lid", "kid", "bid", "valid", "invalid",
    "solid", "fluid", "liquid", "rigid", "vivid", "rapid", "humid", "hybrid", "void", "avoid",
    "android", "humanoid", "polaroid", "sigmoid", "centroid", "pyramid", "plaid", "acid",
];

fn is_ordinary_word(word: &str) -> bool {
    ORDINARY_WORDS.contains(&word.strip_suffix('s').unwrap_or(word))
}

/// Returns true if a name differs from a field's only in its case of letters and its separators.
pub fn is_same(name: &str, field: &Field) -> bool {
    fold(name) == fold(field.name)
}

/// Returns the letters and digits in lower case. Letters that only look different, such as a long
/// s, become plain letters.
fn fold(name: &str) -> String {
    // Upper case first: it is what makes a plain S of a long s.
    name.to_uppercase()
        .to_lowercase()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

fn is_last_word(name: &str, word: &str) -> bool {
    words(name)
        .last()
        .is_some_and(|last| last.strip_suffix('s').unwrap_or(last) == word)
}

/// Returns the words of a name in snake case, in camel case or with any separator.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() || was_lower && letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        was_lower = letter.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_an_upstream_may_read_as_an_ids_is_one() {
        for name in [
            "file_id",
            "fileId",
            "FILEID",
            "file-id",
            "opts.file_id",
            "file.id",
            "file__id",
            "input_fiLe_ids",
            "file_id_2",
            "image_file_id\u{17f}",
            "source_file_ref_id",
        ] {
            assert_eq!(named(name), Named::Id(IdKind::File), "{name}");
        }
        for name in ["avatar_id", "voiceId", "asset_ids", "avatar_asset_id"] {
            assert_eq!(named(name), Named::Id(IdKind::Asset), "{name}");
        }
        assert_eq!(named("taskId"), Named::Id(IdKind::Task));
        for name in [
            "id",
            "ids",
            "style_id",
            "loraId",
            "a.id",
            "id2",
            "style_id_2",
            "STYLEID",
            "parentid",
            "uuid",
            "guids",
            "pid",
        ] {
            assert_eq!(named(name), Named::AnyId, "{name}");
        }
        for name in ["file", "files", "sourceFile", "input_assets"] {
            assert!(matches!(named(name), Named::Things(_)), "{name}");
        }
        for name in [
            "grid", "video", "profile", "valid", "voice", "avatar", "task", "style", "camera",
            "paid", "fidelity", "grids2",
        ] {
            assert_eq!(named(name), Named::Other, "{name}");
        }
    }
}
