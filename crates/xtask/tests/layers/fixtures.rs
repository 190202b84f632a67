//! Small crates, each with one fault that must be found, or with none.

use std::path::Path;

use crate::rules::{crate_failures, dependencies};
use crate::tree::{Files, Tree};
use crate::workspace::Package;

/// The failures of a crate of these files below `src`, without layers.
pub(crate) fn failures(files: &[(&str, &str)]) -> String {
    layered(files, None)
}

fn layered(files: &[(&str, &str)], layers: Option<&[&[&str]]>) -> String {
    let files: Files = files.iter().map(|(path, source)| (Path::new(path).into(), (*source).to_owned())).collect();
    let tree = Tree::load(&files, Path::new("lib.rs"));
    let layers: Option<Vec<Vec<String>>> =
        layers.map(|it| it.iter().map(|it| it.iter().map(|it| (*it).to_owned()).collect()).collect());
    crate_failures(&tree, layers.as_deref()).join("\n")
}

/// Asserts that each of these lines is in the failures.
#[track_caller]
pub(crate) fn assert_cycle(files: &[(&str, &str)], lines: &[&str]) {
    let failures = failures(files);
    for line in lines {
        assert!(failures.contains(line), "{line} is not in:\n{failures}");
    }
}

/// The root of a crate with two modules.
pub(crate) const LIB: (&str, &str) = ("lib.rs", "mod a; mod b;");
/// The lines of a cycle of the two.
pub(crate) const BOTH: [&str; 2] = ["a.rs imports b.rs: B", "b.rs imports a.rs: A"];

#[test]
fn a_crate_whose_imports_go_one_way_passes() {
    let files = [LIB, ("a.rs", "pub struct A;"), ("b.rs", "use crate::a::A; pub struct B(A);")];
    assert_eq!(failures(&files), "");
}

#[test]
fn a_cycle_of_use_declarations_is_found() {
    let files =
        [LIB, ("a.rs", "use crate::b::B; pub struct A(B);"), ("b.rs", "use super::a::{A as Other}; pub struct B;")];
    assert_cycle(&files, &BOTH);
    assert_cycle(&files, &["top-level modules import each other:\n  a imports b: B\n  b imports a: A"]);
}

#[test]
fn a_cycle_of_full_paths_is_found() {
    let inside = ("b.rs", "pub struct B; fn f() { if true { let _: Vec<crate::a::A> = Vec::new(); } }");
    assert_cycle(&[LIB, ("a.rs", "pub struct A(crate::b::B);"), inside], &BOTH);
    let pattern = ("b.rs", "pub struct B; fn f(it: u8) -> bool { matches!(it, super::a::A) }");
    assert_cycle(&[LIB, ("a.rs", "pub const A: u8 = 1; type T = self::super::b::B;"), pattern], &BOTH);
}

#[test]
fn a_cycle_through_an_imported_module_is_found() {
    let files =
        [LIB, ("a.rs", "use crate::b as other; pub struct A(other::B);"), ("b.rs", "pub struct B(crate::a::A);")];
    assert_cycle(&files, &BOTH);
}

#[test]
fn a_cycle_in_the_tokens_of_macros_is_found() {
    let rules = ("a.rs", "pub struct A; macro_rules! make { () => { use $crate::b::{B}; } }");
    assert_cycle(&[LIB, rules, ("b.rs", "pub struct B; fn f() { println!(\"{}\", crate::a::A) }")], &BOTH);
}

#[test]
fn a_cycle_through_super_is_found() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod child; pub struct Limit; fn f() { child::run() }"),
        ("a/child.rs", "use super::Limit; pub fn run() -> Limit { Limit }"),
    ];
    assert_cycle(&files, &["a/mod.rs imports a/child.rs: run", "a/child.rs imports a/mod.rs: Limit"]);
}

#[test]
fn a_cycle_through_a_glob_is_found() {
    let files = [
        LIB,
        ("a.rs", "use super::b::*; pub struct A(B);"),
        ("b.rs", "pub use crate::a::*; pub struct B; type T = A;"),
    ];
    assert_cycle(&files, &BOTH);
}

#[test]
fn a_glob_counts_by_the_names_that_are_used() {
    let files = [LIB, ("a.rs", "use super::b::*; pub struct A;"), ("b.rs", "pub struct B(crate::a::A);")];
    assert_eq!(failures(&files), "");
}

#[test]
fn a_cycle_through_a_reexport_is_found() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::inner::B as Renamed;"),
        ("a.rs", "use crate::Renamed; pub struct A(Renamed);"),
        ("b/mod.rs", "pub mod inner;"),
        ("b/inner.rs", "pub struct B; fn f(_: crate::A) {}"),
    ];
    assert_cycle(&files, &["a.rs imports b/inner.rs: B", "b/inner.rs imports a.rs: A"]);
}

#[test]
fn a_reexport_is_no_import_of_the_file_that_has_it() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod one; mod two; pub use one::One; pub(crate) use two::*;"),
        ("a/one.rs", "pub struct One;"),
        ("a/two.rs", "use super::One; pub struct Two(One);"),
    ];
    assert_eq!(failures(&files), "");
}

#[test]
fn a_reexport_that_its_file_uses_is_an_import() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod one; pub use one::One; pub struct Limit; impl From<One> for Limit {}"),
        ("a/one.rs", "pub struct One(super::Limit);"),
    ];
    assert_cycle(&files, &["a/mod.rs imports a/one.rs: One", "a/one.rs imports a/mod.rs: Limit"]);
}

#[test]
fn what_is_compiled_for_tests_is_left_out() {
    let tests =
        "pub struct A; #[cfg(test)] mod tests { use crate::b::B; } #[cfg(test)] impl From<crate::b::B> for A {}";
    let method = "impl A { #[cfg(all(test, unix))] fn f(_: crate::b::B) {} }";
    let files = [LIB, ("a.rs", &[tests, method].concat()), ("b.rs", "use crate::a::A; pub struct B(A);")];
    assert_eq!(failures(&files), "");
    let files = [LIB, ("a.rs", "#[cfg(not(test))] use crate::b::B; pub struct A;"), files[2]];
    assert_cycle(&files, &BOTH);
}

#[test]
fn cycles_of_modules_are_found_where_the_files_have_none() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "pub mod one; pub mod two;"),
        ("a/one.rs", "pub struct One;"),
        ("a/two.rs", "use crate::b::B;"),
        ("b.rs", "pub struct B(crate::a::one::One);"),
    ];
    let failures = failures(&files);
    assert!(failures.starts_with("top-level modules import each other:"), "{failures}");
}

#[test]
fn modules_are_found_by_path_attribute_inline_and_through_macros() {
    let files = [
        ("lib.rs", "#[path = \"elsewhere.rs\"] mod a; mod b { pub mod c; } list! { d, }"),
        ("elsewhere.rs", "pub struct A(crate::b::c::C);"),
        ("b/c.rs", "pub struct C(crate::d::D);"),
        ("d.rs", "pub struct D(crate::a::A);"),
    ];
    let lines = ["elsewhere.rs imports b/c.rs: C", "b/c.rs imports d.rs: D", "d.rs imports elsewhere.rs: A"];
    assert_cycle(&files, &lines);
}

#[test]
fn an_import_from_a_higher_layer_is_found() {
    let files = [LIB, ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")];
    assert_eq!(layered(&files, Some(&[&["b"], &["a"]])), "");
    assert_eq!(layered(&files, Some(&[&["a", "b"]])), "");
    assert_eq!(layered(&files, Some(&[&["a"], &["b"]])), "import from a higher layer: a imports b: B");
}

#[test]
fn the_root_is_above_every_layer() {
    let files = [("lib.rs", "mod a; pub const LIMIT: u8 = 1;"), ("a.rs", "use crate::LIMIT;")];
    assert_eq!(layered(&files, Some(&[&["a"]])), "import from a higher layer: a imports lib.rs: LIMIT");
}

#[test]
fn layers_list_every_module_once_and_no_other() {
    let files = [LIB, ("a.rs", ""), ("b.rs", "")];
    assert_eq!(
        layered(&files, Some(&[&["a", "c"], &["a"]])),
        "layers list c, which is no top-level module\nlayers list a twice\nlayers do not list b"
    );
    let many = ("lib.rs", "mod a {} mod b {} mod c {} mod d {} mod e {} mod f {}");
    assert!(failures(&[many]).starts_with("6 top-level modules and no layers"));
}

#[test]
fn names_of_other_crates_are_no_imports() {
    let files = [
        LIB,
        ("a.rs", "use ::b::B; use std::fmt::*; fn f() -> u8 { other::b::B::<u8>::new() }"),
        ("b.rs", "use crate::a::f; pub struct B;"),
    ];
    assert_eq!(failures(&files), "");
}

#[test]
fn a_dependency_that_points_the_wrong_way_is_found() {
    let packages = [
        Package::sample("mediagate-core", &["serde", "xtask"]),
        Package::sample("mediagate-browser", &["mediagate-core"]),
        Package::sample("xtask", &["mediagate-worker", "mediagate-core"]),
        Package::sample("another", &[]),
    ];
    let failures = dependencies(&packages);
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].starts_with("mediagate-core depends on xtask"));
    assert!(failures[1].starts_with("another: not listed"));
}
