//! From a path to the file that defines what it names.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Tree;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// A module, by its index.
    Module(usize),
    /// An item: the module that defines it, and its name there.
    Item(usize, String),
}

impl Target {
    fn item(self) -> Option<(usize, String)> {
        match self {
            Target::Item(module, name) => Some((module, name)),
            Target::Module(_) => None,
        }
    }
}

/// Imports between modules, by index, and the names.
pub(crate) type Edges = BTreeMap<(usize, usize), BTreeSet<String>>;

/// The imports that are being followed, so that a cycle of re-exports ends.
type Following = BTreeSet<(usize, Vec<String>)>;

impl Tree {
    /// Every import from one module's items to another's.
    pub(crate) fn imports(&self) -> Edges {
        let mut edges = Edges::new();
        for index in 0..self.modules.len() {
            for (target, name) in self.imports_of(index) {
                edges.entry((index, target)).or_default().insert(name);
            }
        }
        edges
    }

    /// Every inherent `impl` whose type another top-level module defines: the module, the type's module and its name.
    pub(crate) fn foreign_impls(&self) -> BTreeSet<(usize, usize, String)> {
        let mut found = BTreeSet::new();
        for (index, module) in self.modules.iter().enumerate() {
            for path in &module.scope.impls {
                let types = self.resolve(index, path, &mut Following::new()).into_iter().filter_map(Target::item);
                let foreign = types.filter(|it| self.modules[it.0].top != module.top);
                found.extend(foreign.map(|(owner, name)| (index, owner, name)));
            }
        }
        found
    }

    fn imports_of(&self, index: usize) -> Vec<(usize, String)> {
        let scope = &self.modules[index].scope;
        let mut found = Vec::new();
        for import in &scope.imports {
            if import.name == "*" {
                self.glob(index, &import.path, &mut found);
            } else if !import.is_reexport || scope.used.idents.contains(&import.name) {
                self.record(index, &import.path, &mut found);
            }
        }
        scope.used.paths.iter().for_each(|it| self.record(index, it, &mut found));
        found
    }

    /// Adds the items that a path leads to. A path that ends at a module is no import: what is used of it is one.
    fn record(&self, index: usize, path: &[String], found: &mut Vec<(usize, String)>) {
        found.extend(self.resolve(index, path, &mut Following::new()).into_iter().filter_map(Target::item));
    }

    /// Adds what this module uses of the names that `path::*` brings in.
    fn glob(&self, index: usize, path: &[String], found: &mut Vec<(usize, String)>) {
        let scope = &self.modules[index].scope;
        for target in self.resolve(index, path, &mut Following::new()) {
            match target {
                Target::Item(module, name) => found.push((module, name)),
                Target::Module(source) => {
                    let names = scope.used.idents.iter().filter(|it| !self.has_own(index, it));
                    let targets = names.flat_map(|it| self.member(source, it, &mut Following::new()));
                    found.extend(targets.filter_map(Target::item));
                }
            }
        }
    }

    /// Whether a module defines or imports this name itself, whatever its globs bring in.
    fn has_own(&self, index: usize, name: &str) -> bool {
        let module = &self.modules[index];
        module.scope.defined.contains(name)
            || module.scope.imports.iter().any(|it| it.name == name)
            || module.children.iter().any(|it| it.0 == name)
    }

    /// What a path leads to from a module; nothing where it leads out of the crate.
    fn resolve(&self, from: usize, path: &[String], following: &mut Following) -> BTreeSet<Target> {
        if !following.insert((from, path.to_vec())) {
            return BTreeSet::new();
        }
        let (mut targets, rest) = self.head(from, path, following);
        for name in rest {
            let step = |it: Target| match it {
                Target::Module(module) => self.known_member(module, name, following),
                // A variant, an associated item: defined where its type is.
                Target::Item(..) => BTreeSet::from([it]),
            };
            targets = targets.into_iter().flat_map(step).collect();
        }
        following.remove(&(from, path.to_vec()));
        targets
    }

    /// What the first segments lead to, and the segments that are left.
    fn head<'a>(&self, from: usize, path: &'a [String], following: &mut Following) -> (BTreeSet<Target>, &'a [String]) {
        let Some((first, mut rest)) = path.split_first() else { return (BTreeSet::new(), path) };
        let mut module = match first.as_str() {
            "crate" => Some(0),
            "self" => Some(from),
            "super" => self.modules[from].parent,
            _ => return (self.member(from, first, following), rest),
        };
        while let Some((first, behind)) = rest.split_first().filter(|it| it.0 == "super") {
            debug_assert_eq!(first, "super");
            module = module.and_then(|it| self.modules[it].parent);
            rest = behind;
        }
        (module.map(Target::Module).into_iter().collect(), rest)
    }

    /// A member that must be there: one that is not found is taken as made by a macro of the module.
    fn known_member(&self, module: usize, name: &str, following: &mut Following) -> BTreeSet<Target> {
        let is_cycle = following.iter().any(|it| it.1.last().is_some_and(|last| last == name) && it.0 == module);
        let found = self.member(module, name, following);
        if found.is_empty() && !is_cycle { BTreeSet::from([Target::Item(module, name.to_owned())]) } else { found }
    }

    /// What a name means in a module: its items, child modules and imports, and failing those, its globs.
    fn member(&self, index: usize, name: &str, following: &mut Following) -> BTreeSet<Target> {
        let module = &self.modules[index];
        let mut found: BTreeSet<_> =
            module.children.iter().filter(|it| it.0 == name).map(|it| Target::Module(it.1)).collect();
        if module.scope.defined.contains(name) {
            found.insert(Target::Item(index, name.to_owned()));
        }
        if index == 0 {
            let exports = |it: &usize| self.modules[*it].scope.exported_macros.contains(name);
            found.extend((0..self.modules.len()).filter(exports).map(|it| Target::Item(it, name.to_owned())));
        }
        for import in module.scope.imports.iter().filter(|it| it.name == name) {
            found.extend(self.resolve(index, &import.path, following));
        }
        if found.is_empty() { self.through_globs(index, name, following) } else { found }
    }

    fn through_globs(&self, index: usize, name: &str, following: &mut Following) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        for import in self.modules[index].scope.imports.iter().filter(|it| it.name == "*") {
            let mut path = import.path.clone();
            path.push("*".to_owned());
            path.push(name.to_owned());
            if !following.insert((index, path.clone())) {
                continue;
            }
            for target in self.resolve(index, &import.path, following) {
                if let Target::Module(source) = target {
                    found.extend(self.member(source, name, following));
                }
            }
            following.remove(&(index, path));
        }
        found
    }
}
