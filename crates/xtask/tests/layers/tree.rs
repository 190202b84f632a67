//! A crate's modules, from its root file through every `mod` declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, ItemMod};

use crate::scope::Scope;
use crate::test_only::is_test_only;
use crate::tokens::name;

/// Source files by their paths.
pub(crate) type Files = BTreeMap<PathBuf, String>;

/// A module: a file, or an inline module of one.
pub(crate) struct Module {
    /// The file that it stands in.
    pub(crate) file: PathBuf,
    /// The module around it; `None` for the root.
    pub(crate) parent: Option<usize>,
    /// The top-level module that it is or belongs to; `None` for the root.
    pub(crate) top: Option<String>,
    /// Its child modules, by name; two may share one under different `cfg`s.
    pub(crate) children: Vec<(String, usize)>,
    /// Its other items.
    pub(crate) scope: Scope,
}

/// A crate's modules, the root first.
pub(crate) struct Tree {
    /// Every module; children name theirs by index.
    pub(crate) modules: Vec<Module>,
    /// The files that were read, and those that belong to tests.
    pub(crate) seen: BTreeSet<PathBuf>,
    /// Files that are missing or cannot be parsed, a line each; their modules are taken as empty.
    pub(crate) errors: Vec<String>,
}

/// Where a module stands while its items are read.
struct Position<'a> {
    index: usize,
    file: &'a Path,
    /// The folder in which its children's files are.
    folder: &'a Path,
}

impl Tree {
    /// Reads the crate whose root is the file `root`.
    pub(crate) fn load(files: &Files, root: &Path) -> Self {
        let mut tree = Tree { modules: Vec::new(), seen: BTreeSet::new(), errors: Vec::new() };
        let folder = root.parent().unwrap_or(Path::new(""));
        tree.file(files, root, folder, None, None);
        tree
    }

    /// Reads a file as a module, and returns the module's index.
    fn file(&mut self, files: &Files, file: &Path, folder: &Path, parent: Option<usize>, top: Option<String>) -> usize {
        self.seen.insert(file.to_owned());
        let items = parse(files, file).unwrap_or_else(|error| {
            self.errors.push(error);
            Vec::new()
        });
        self.module(files, file, folder, &items, parent, top)
    }

    fn module(
        &mut self,
        files: &Files,
        file: &Path,
        folder: &Path,
        items: &[Item],
        parent: Option<usize>,
        top: Option<String>,
    ) -> usize {
        let index = self.modules.len();
        let scope = Scope::default();
        self.modules.push(Module { file: file.to_owned(), parent, top, children: Vec::new(), scope });
        let position = Position { index, file, folder };
        for item in items {
            self.item(files, &position, item);
        }
        index
    }

    fn item(&mut self, files: &Files, position: &Position, item: &Item) {
        let is_test = is_test_only(&item.to_token_stream());
        match item {
            Item::Mod(it) if is_test => self.skip_tests(files, position, it),
            _ if is_test => {}
            Item::Mod(it) => self.child(files, position, it),
            Item::Macro(it) if it.ident.is_none() => {
                for name in declared_by(&it.mac.tokens) {
                    self.declared(files, position, &name);
                }
                self.modules[position.index].scope.add(item);
            }
            _ => self.modules[position.index].scope.add(item),
        }
    }

    fn child(&mut self, files: &Files, position: &Position, item: &ItemMod) {
        let name = name(&item.ident);
        let top = self.top_of_child(position.index, &name);
        let index = match &item.content {
            Some((_, items)) => {
                self.module(files, position.file, &position.folder.join(&name), items, Some(position.index), top)
            }
            None => {
                let file = file_of(files, position, item);
                self.file(files, &file, &folder_of(&file), Some(position.index), top)
            }
        };
        self.modules[position.index].children.push((name, index));
    }

    /// A module that a macro declares: a name in its tokens, with a file of that name in the folder.
    fn declared(&mut self, files: &Files, position: &Position, name: &str) {
        let [file, folder_file] = candidates(position.folder, name);
        let Some(file) = [file, folder_file].into_iter().find(|it| files.contains_key(it)) else { return };
        if self.seen.contains(&file) {
            return;
        }
        let top = self.top_of_child(position.index, name);
        let index = self.file(files, &file, &folder_of(&file), Some(position.index), top);
        self.modules[position.index].children.push((name.to_owned(), index));
    }

    fn top_of_child(&self, parent: usize, name: &str) -> Option<String> {
        self.modules[parent].top.clone().or_else(|| Some(name.to_owned()))
    }

    /// Notes the files of a module that is compiled for tests alone.
    fn skip_tests(&mut self, files: &Files, position: &Position, item: &ItemMod) {
        if item.content.is_none() {
            let file = file_of(files, position, item);
            let folder = folder_of(&file);
            self.seen.extend(files.keys().filter(|it| it.starts_with(&folder)).cloned());
            self.seen.insert(file);
        }
    }
}

fn parse(files: &Files, file: &Path) -> Result<Vec<Item>, String> {
    let source = files.get(file).ok_or_else(|| format!("{} is missing", file.display()))?;
    Ok(syn::parse_file(source).map_err(|error| format!("{}: {error}", file.display()))?.items)
}

/// The file of a module that is declared without a body.
fn file_of(files: &Files, position: &Position, item: &ItemMod) -> PathBuf {
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("path")) {
        if let syn::Meta::NameValue(it) = &attribute.meta
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = &it.value
        {
            return position.file.parent().unwrap_or(Path::new("")).join(path.value());
        }
    }
    let [file, folder_file] = candidates(position.folder, &name(&item.ident));
    if files.contains_key(&folder_file) { folder_file } else { file }
}

fn candidates(folder: &Path, name: &str) -> [PathBuf; 2] {
    [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]
}

/// The folder in which the children of a file's module are.
fn folder_of(file: &Path) -> PathBuf {
    if file.ends_with("mod.rs") { file.parent().unwrap_or(Path::new("")).to_owned() } else { file.with_extension("") }
}

/// Every name in a macro's tokens that stands alone.
fn declared_by(tokens: &TokenStream) -> Vec<String> {
    tokens
        .clone()
        .into_iter()
        .filter_map(|it| if let TokenTree::Ident(it) = it { Some(name(&it)) } else { None })
        .collect()
}
