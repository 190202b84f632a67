//! Paths, names and `use` declarations in the tokens of an item, inside macros too.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{ItemUse, LitStr, parse2};

use crate::test_only::{end_of_item, is_test_attribute};

/// What some tokens use.
#[derive(Default)]
pub(crate) struct Used {
    /// Paths of two segments or more, without generic arguments.
    pub(crate) paths: BTreeSet<Vec<String>>,
    /// Every identifier.
    pub(crate) idents: BTreeSet<String>,
    /// The `use` declarations of functions and macros.
    pub(crate) imports: Vec<ItemUse>,
    /// What hides imports from this test, and is therefore a failure: `include!`, `extern crate self`.
    pub(crate) hiding: BTreeSet<&'static str>,
}

impl Used {
    /// Adds what these tokens use, except for what is under `#[cfg(test)]`.
    pub(crate) fn scan(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(&tokens, at);
        }
    }

    /// Reads what begins at `at`, and returns where the next begins.
    fn step(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        match &tokens[at] {
            TokenTree::Punct(it) if it.as_char() == '#' && is_test_attribute(tokens.get(at + 1)) => {
                end_of_item(tokens, at + 2)
            }
            TokenTree::Punct(it) if it.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = tokens.get(at + 1) {
                    self.strings(attribute.stream());
                }
                at + 1
            }
            TokenTree::Group(group) => {
                self.scan(group.stream());
                at + 1
            }
            TokenTree::Ident(it) if *it == "use" => self.import(tokens, at),
            TokenTree::Ident(it) if *it == "extern" && is_words(tokens, at + 1, ["crate", "self"]) => {
                self.hiding.insert("`extern crate self`");
                at + 3
            }
            TokenTree::Ident(_) => self.path(tokens, at, &[]),
            _ => at + 1,
        }
    }

    /// Reads the paths that an attribute has in string literals, such as `#[serde(with = "crate::a::b")]`.
    fn strings(&mut self, attribute: TokenStream) {
        for token in attribute {
            match token {
                TokenTree::Group(it) => self.strings(it.stream()),
                TokenTree::Literal(it) => {
                    let Ok(string) = parse2::<LitStr>(TokenTree::Literal(it).into()) else { continue };
                    let is_path = ["crate::", "self::", "super::"].iter().any(|it| string.value().starts_with(it));
                    if let Some(path) = is_path.then(|| string.parse().ok()).flatten() {
                        self.scan(path);
                    }
                }
                _ => {}
            }
        }
    }

    fn import(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let length = tokens[at..].iter().position(|it| is_punct(Some(it), ';'));
        let parsed = length.map(|it| (at + it + 1, tokens[at..=at + it].iter().cloned().collect()));
        match parsed.and_then(|(end, tokens)| Some((end, parse2(tokens).ok()?))) {
            Some((end, import)) => {
                self.imports.push(import);
                end
            }
            None => at + 1,
        }
    }

    /// Reads the path that begins at `at`, behind the segments in `prefix`.
    fn path(&mut self, tokens: &[TokenTree], at: usize, prefix: &[String]) -> usize {
        let mut path = prefix.to_vec();
        let mut next = at;
        while let Some(TokenTree::Ident(it)) = tokens.get(next) {
            path.push(name(it));
            next += 1;
            if !is_path_separator(tokens, next) {
                break;
            }
            next += 2;
        }
        self.idents.extend(path.iter().cloned());
        if path.last().is_some_and(|it| it == "include") && is_punct(tokens.get(next), '!') {
            self.hiding.insert("`include!`");
        }
        if let Some(TokenTree::Group(group)) = tokens.get(next)
            && group.delimiter() == Delimiter::Brace
            && is_path_separator(tokens, next.wrapping_sub(2))
        {
            self.branches(&group.stream().into_iter().collect::<Vec<_>>(), &path);
            return next + 1;
        }
        if path.len() > 1 && !continues(tokens, at) {
            self.paths.insert(path);
        }
        next
    }

    /// Reads `{a, b::c}` behind a path, as a `use` declaration that a macro writes has it.
    fn branches(&mut self, tokens: &[TokenTree], prefix: &[String]) {
        for branch in tokens.split(|it| is_punct(Some(it), ',')).filter(|it| !it.is_empty()) {
            self.path(branch, 0, prefix);
        }
    }
}

/// An identifier without the mark of a raw one.
pub(crate) fn name(ident: &proc_macro2::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Whether the path that begins at `at` is only the rest of one: `<T>::b`, `::external`, or a macro's `$name::b`.
fn continues(tokens: &[TokenTree], at: usize) -> bool {
    let is_crate = matches!(&tokens[at], TokenTree::Ident(it) if *it == "crate");
    let behind = |count: usize| at.checked_sub(count).and_then(|it| tokens.get(it));
    (at >= 2 && is_path_separator(tokens, at - 2)) || (is_punct(behind(1), '$') && !is_crate)
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn is_words(tokens: &[TokenTree], at: usize, words: [&str; 2]) -> bool {
    let is_word =
        |(index, word): (usize, &&str)| matches!(tokens.get(at + index), Some(TokenTree::Ident(it)) if it == word);
    words.iter().enumerate().all(is_word)
}

/// Whether this is the punctuation `mark`.
pub(crate) fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == mark)
}
