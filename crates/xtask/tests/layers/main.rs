//! The workspace's imports, checked: no cycles between files or modules, no import from a higher layer, and no
//! dependency between crates that points the wrong way.
//!
//! The test reads each crate's source with `syn` and follows every path (`crate::…`, `super::…`, `self::…`, names
//! brought in by `use`, names of child modules) through its re-exports to the file that defines the item. Items under
//! `#[cfg(test)]` are left out. A `pub use` is a re-export: it counts only where the same file also uses the name.
//!
//! Two constructs would hide imports and are failures: `extern crate self` and `include!`. So is an inherent `impl` for
//! a type of another top-level module, since calls of its methods name no path.
//!
//! What it cannot see:
//!
//! - calls of methods, and with them the methods of a trait that another module implements;
//! - an `impl` that a macro writes, that stands in a function, or that names its type by a `type` alias;
//! - names that a macro pastes together, and items that a macro defines and a glob imports;
//! - paths in the string literals of attributes, unless they begin with `crate::`, `self::` or `super::`;
//! - the code of `build.rs`, examples, tests and benchmarks, and what a `build.rs` generates.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod fixtures;
mod graph;
mod hidden_imports;
mod resolve;
mod rules;
mod scope;
mod test_only;
mod tokens;
mod tree;
mod workspace;

use workspace::Workspace;

#[test]
fn every_dependency_between_crates_points_the_right_way() {
    let failures = rules::dependencies(&Workspace::load().packages);
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn no_file_imports_in_a_cycle_or_from_a_higher_layer() {
    let workspace = Workspace::load();
    let failures: Vec<_> = workspace.packages.iter().flat_map(|it| rules::package(it, &workspace.root)).collect();
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}
