//! Paths, names and `use` declarations in the tokens of an item, inside macros too.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{ItemUse, Meta, parse2};

/// Words that begin an item which ends with `;` or a block.
const ITEM_WORDS: [&str; 12] =
    ["async", "const", "enum", "extern", "fn", "impl", "mod", "static", "struct", "trait", "type", "unsafe"];

/// What some tokens use.
#[derive(Default)]
pub(crate) struct Used {
    /// Paths of two segments or more, without generic arguments.
    pub(crate) paths: BTreeSet<Vec<String>>,
    /// Every identifier.
    pub(crate) idents: BTreeSet<String>,
    /// The `use` declarations of functions and macros.
    pub(crate) imports: Vec<ItemUse>,
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
            TokenTree::Group(group) => {
                self.scan(group.stream());
                at + 1
            }
            TokenTree::Ident(it) if *it == "use" => self.import(tokens, at),
            TokenTree::Ident(_) => self.path(tokens, at, &[]),
            _ => at + 1,
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

/// Whether these tokens begin with attributes that leave the item to tests.
pub(crate) fn is_test_only(item: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let attributes = tokens.chunks(2).take_while(|it| is_punct(it.first(), '#'));
    attributes.into_iter().any(|it| is_test_attribute(it.get(1)))
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

fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == mark)
}

fn is_test_attribute(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else { return false };
    let Ok(Meta::List(list)) = parse2::<Meta>(group.stream()) else { return false };
    list.path.is_ident("cfg") && parse2(list.tokens).is_ok_and(|it| implies_test(&it))
}

/// Whether a `cfg` predicate holds in tests alone.
fn implies_test(predicate: &Meta) -> bool {
    let Meta::List(list) = predicate else { return predicate.path().is_ident("test") };
    let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
    let Ok(parts) = syn::parse::Parser::parse2(parser, list.tokens.clone()) else { return false };
    match &list.path {
        it if it.is_ident("all") => parts.iter().any(implies_test),
        it if it.is_ident("any") => parts.iter().all(implies_test),
        _ => false,
    }
}

/// Where the item, statement, field or arm ends that begins at `at`.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let is_word = |it: &TokenTree| matches!(it, TokenTree::Ident(it) if ITEM_WORDS.iter().any(|word| it == word));
    let is_item = tokens[at..].iter().take(6).any(is_word);
    let ends = |it: &TokenTree| match it {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(it) => it.as_char() == ';' || (!is_item && it.as_char() == ','),
        _ => false,
    };
    tokens[at..].iter().position(ends).map_or(tokens.len(), |it| at + it + 1)
}
