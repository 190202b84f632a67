//! Fixtures of imports that are easy to miss, and of constructs that would hide them.

use crate::fixtures::{BOTH, LIB, assert_cycle, failures};

#[test]
fn a_second_name_for_the_crate_is_found() {
    let message = "lib.rs: `extern crate self` hides imports from this test";
    assert_eq!(failures(&[("lib.rs", "extern crate self as own; mod a;"), ("a.rs", "")]), message);
    assert_eq!(failures(&[("lib.rs", "fn f() { extern crate self as own; }")]), message);
    assert_eq!(failures(&[("lib.rs", "extern crate std;")]), "");
}

#[test]
fn included_source_is_found() {
    let message = "lib.rs: `include!` hides imports from this test";
    assert_eq!(failures(&[("lib.rs", "include!(\"a.rs\");")]), message);
    assert_eq!(failures(&[("lib.rs", "fn f() -> u8 { std::include!(concat!(\"a\", \".rs\")) }")]), message);
    assert_eq!(failures(&[("lib.rs", "const A: &str = include_str!(\"a.md\");")]), "");
}

#[test]
fn a_cycle_through_a_string_of_an_attribute_is_found() {
    let a = ("a.rs", "pub struct A { #[serde(with = \"crate::b::B\")] field: u8 }");
    assert_cycle(&[LIB, a, ("b.rs", "pub struct B(crate::a::A);")], &BOTH);
    let a = ("a.rs", "#[serde(remote = \"super::b::B\")] pub struct A;");
    assert_cycle(&[LIB, a, ("b.rs", "pub struct B(crate::a::A);")], &BOTH);
    let a = ("a.rs", "/// crate::b::B\n#[serde(rename = \"crate: b\")] pub struct A; const B: &str = \"crate::b::B\";");
    assert_eq!(failures(&[LIB, a, ("b.rs", "pub struct B(crate::a::A);")]), "");
}

#[test]
fn a_field_for_tests_hides_no_other() {
    let b = ("b.rs", "pub struct B(crate::a::A);");
    for a in [
        "pub struct A { #[cfg(test)] hook: fn(u8) -> u8, field: crate::b::B }",
        "pub struct A { #[cfg(test)] pub(crate) hook: Box<unsafe fn()>, field: crate::b::B }",
        "pub struct A(#[cfg(test)] pub unsafe extern \"C\" fn(u8), crate::b::B);",
        "pub struct A(#[cfg(test)] fn(), crate::b::B);",
    ] {
        assert_cycle(&[LIB, ("a.rs", a), b], &BOTH);
    }
    let a = "pub struct A { #[cfg(test)] hook: fn(crate::b::B), field: u8 }";
    let item = "mod inner { #[cfg(test)] #[expect(dead_code)] pub(crate) async unsafe fn f(_: u8, _: crate::b::B) {} }";
    let statement = "fn f() { #[cfg(test)] let it: (Vec<u8>, Result<u8, crate::b::B>) = crate::b::B; }";
    assert_eq!(failures(&[LIB, ("a.rs", &[a, item, statement].concat()), b]), "");
}

#[test]
fn methods_stand_in_the_top_level_module_of_their_type() {
    let a = ("a/mod.rs", "mod one; mod two;");
    let one = ("a/one.rs", "pub struct One<T>(T); pub trait Named {}");
    let lib = ("lib.rs", "mod a; mod b;");
    let two = ("a/two.rs", "use super::one::*; impl<T> One<T> { fn two(&self) {} }");
    assert_eq!(failures(&[lib, a, one, two, ("b.rs", "impl From<crate::a::one::One<u8>> for u8 {}")]), "");
    let message = "b.rs: has methods of One, which a/one.rs defines in another top-level module";
    for b in ["use crate::a::one as first; impl first::One<u8> {}", "impl super::a::one::One<u8> {}"] {
        assert_eq!(failures(&[lib, a, one, ("a/two.rs", ""), ("b.rs", b)]), message);
    }
    let b = ("b.rs", "use crate::a::one::Named; impl dyn Named + Send {}");
    assert_eq!(failures(&[lib, a, one, ("a/two.rs", ""), b]), message.replace("One", "Named"));
}
