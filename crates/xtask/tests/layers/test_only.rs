//! What is compiled for tests alone, by `#[cfg(test)]` and its like.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Meta, parse2};

use crate::tokens::is_punct;

/// Words that begin an item or a statement, which ends with `;` or a block and not with a comma.
const ITEM_WORDS: [&str; 14] = [
    "async", "const", "enum", "extern", "fn", "impl", "let", "mod", "static", "struct", "trait", "type", "unsafe",
    "use",
];

/// Whether these tokens begin with attributes that leave the item to tests.
pub(crate) fn is_test_only(item: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let attributes = tokens.chunks(2).take_while(|it| is_punct(it.first(), '#'));
    attributes.into_iter().any(|it| is_test_attribute(it.get(1)))
}

/// Whether this is the bracket of an attribute that leaves the item to tests.
pub(crate) fn is_test_attribute(token: Option<&TokenTree>) -> bool {
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
pub(crate) fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let is_item = is_item(&tokens[at..]);
    let ends = |it: &TokenTree| match it {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(it) => it.as_char() == ';' || (!is_item && it.as_char() == ','),
        _ => false,
    };
    tokens[at..].iter().position(ends).map_or(tokens.len(), |it| at + it + 1)
}

/// Whether an item or a statement begins here, and not a field or an arm. The type of a field may have the same words.
fn is_item(mut tokens: &[TokenTree]) -> bool {
    while is_punct(tokens.first(), '#') {
        tokens = tokens.get(2..).unwrap_or_default();
    }
    if matches!(tokens.first(), Some(TokenTree::Ident(it)) if it == "pub") {
        let is_restricted = is_parenthesis(tokens.get(1));
        tokens = &tokens[if is_restricted { 2 } else { 1 }..];
    }
    let is_word = matches!(tokens.first(), Some(TokenTree::Ident(it)) if ITEM_WORDS.iter().any(|word| it == word));
    is_word && !is_function_pointer(tokens)
}

/// `fn(…)`, `unsafe fn(…)`, `extern "C" fn(…)`: a type, since a function has its name there.
fn is_function_pointer(tokens: &[TokenTree]) -> bool {
    let is_fn = |it: &TokenTree| matches!(it, TokenTree::Ident(it) if it == "fn");
    tokens.iter().take(4).position(is_fn).is_some_and(|it| is_parenthesis(tokens.get(it + 1)))
}

fn is_parenthesis(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Parenthesis)
}
