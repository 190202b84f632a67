//! Names in camel case.

/// Returns a name in camel case, such as `modelId` for `model_id`.
pub(super) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |joined, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        joined + &initial.into_iter().chain(letters).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined() {
        assert_eq!(
            ["id", "model_id", "a_b_c", "modelId", ""].map(camel),
            ["id", "modelId", "aBC", "modelId", ""]
        );
    }
}
