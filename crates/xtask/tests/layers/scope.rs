//! What a module's items define and import.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{ForeignItem, Item, ItemUse, Type, TypeParamBound, UseTree, Visibility};

use crate::tokens::{Used, name};

/// One name that a `use` declaration brings in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    /// The path as it is written.
    pub(crate) path: Vec<String>,
    /// The name it has in this module; `_` for none, `*` for everything in `path`.
    pub(crate) name: String,
    /// Whether it is made visible to others: `pub use`, `pub(crate) use`.
    pub(crate) is_reexport: bool,
}

/// What the items of one module define, import and use; modules are left out.
#[derive(Default)]
pub(crate) struct Scope {
    /// The names of items.
    pub(crate) defined: BTreeSet<String>,
    /// The names of macros that belong to the crate's root.
    pub(crate) exported_macros: BTreeSet<String>,
    /// Every name of every `use`.
    pub(crate) imports: Vec<Import>,
    /// The types that have an inherent `impl` here: their paths as they are written.
    pub(crate) impls: Vec<Vec<String>>,
    /// Paths and names in the items' tokens.
    pub(crate) used: Used,
}

impl Scope {
    /// Adds an item that is no module.
    pub(crate) fn add(&mut self, item: &Item) {
        if let Item::Use(it) = item {
            return self.import(it);
        }
        self.define(item);
        self.used.scan(item.to_token_stream());
        for import in std::mem::take(&mut self.used.imports) {
            self.import(&import);
        }
    }

    fn import(&mut self, item: &ItemUse) {
        // `use ::name` is another crate's.
        if item.leading_colon.is_none() {
            let is_reexport = !matches!(item.vis, Visibility::Inherited);
            flatten(&item.tree, &mut Vec::new(), &mut |path, name| {
                self.imports.push(Import { path, name, is_reexport });
            });
        }
    }

    fn define(&mut self, item: &Item) {
        let ident = match item {
            Item::Const(it) => &it.ident,
            Item::Enum(it) => &it.ident,
            Item::Fn(it) => &it.sig.ident,
            Item::Static(it) => &it.ident,
            Item::Struct(it) => &it.ident,
            Item::Trait(it) => &it.ident,
            Item::TraitAlias(it) => &it.ident,
            Item::Type(it) => &it.ident,
            Item::Union(it) => &it.ident,
            Item::Impl(it) if it.trait_.is_none() => return self.impls.extend(path_of(&it.self_ty)),
            Item::ForeignMod(it) => return self.defined.extend(it.items.iter().filter_map(foreign)),
            Item::Macro(it) => {
                let Some(ident) = &it.ident else { return };
                if it.attrs.iter().any(|it| it.path().is_ident("macro_export")) {
                    self.exported_macros.insert(name(ident));
                }
                ident
            }
            _ => return,
        };
        self.defined.insert(name(ident));
    }
}

/// The path of a type that can have an inherent `impl`, without generic arguments.
fn path_of(type_: &Type) -> Option<Vec<String>> {
    let path = match type_ {
        Type::Path(it) => &it.path,
        Type::TraitObject(it) => it.bounds.iter().find_map(|it| match it {
            TypeParamBound::Trait(it) => Some(&it.path),
            _ => None,
        })?,
        Type::Paren(it) => return path_of(&it.elem),
        Type::Group(it) => return path_of(&it.elem),
        _ => return None,
    };
    Some(path.segments.iter().map(|it| name(&it.ident)).collect())
}

fn foreign(item: &ForeignItem) -> Option<String> {
    match item {
        ForeignItem::Fn(it) => Some(name(&it.sig.ident)),
        ForeignItem::Static(it) => Some(name(&it.ident)),
        ForeignItem::Type(it) => Some(name(&it.ident)),
        _ => None,
    }
}

/// Calls `found` with the path and the name of each leaf of a `use` tree.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, found: &mut impl FnMut(Vec<String>, String)) {
    match tree {
        UseTree::Path(it) => {
            prefix.push(name(&it.ident));
            flatten(&it.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(it) => leaf(prefix, name(&it.ident), None, found),
        UseTree::Rename(it) => leaf(prefix, name(&it.ident), Some(name(&it.rename)), found),
        UseTree::Glob(_) => found(prefix.clone(), "*".to_owned()),
        UseTree::Group(it) => it.items.iter().for_each(|it| flatten(it, prefix, found)),
    }
}

fn leaf(prefix: &[String], last: String, rename: Option<String>, found: &mut impl FnMut(Vec<String>, String)) {
    let mut path = prefix.to_vec();
    // `a::{self}` is `a`.
    if last != "self" || prefix.is_empty() {
        path.push(last);
    }
    let own = path.last().cloned().unwrap_or_default();
    found(path, rename.unwrap_or(own));
}
