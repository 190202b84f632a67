//! The package declares the codes of the core and of the client, and no other.

use mediagate_client::error::code;
use mediagate_core::Code;

/// The codes that the package's scripts use before there is a wasm.
const BEFORE_LOADING: [&str; 2] = ["not_loaded", "load_failed"];

#[test]
fn the_package_declares_the_codes_of_core_and_client_and_no_other() {
    let declared = include_str!("../../../pkg/error.d.ts");
    let unions = ["export type ErrorCode =", "export type ClientCode ="].map(|it| {
        let start = declared.find(it).unwrap();
        &declared[start..start + declared[start..].find(';').unwrap()]
    });
    let lines = unions.iter().flat_map(|it| it.lines());
    let mut found: Vec<_> = lines
        .filter_map(|it| it.trim().strip_prefix("| \"")?.strip_suffix('"'))
        .collect();
    let core = Code::ALL
        .iter()
        .filter(|it| it.0 != Code::OK)
        .map(|it| it.1)
        .chain(["unknown"])
        .chain(Code::CAUSES);
    let mut expected: Vec<_> = core.chain(code::ALL).chain(BEFORE_LOADING).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "pkg/error.d.ts");
}
