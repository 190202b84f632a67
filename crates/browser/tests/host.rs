//! What Rust and `host.js` both write down is the same. It runs on this machine, with `host.js` in Node.

#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::unwrap_used, reason = "a test may")]

use std::process::Command;

use mediagate_browser::engine::error::code;
use mediagate_browser::input_view::{InputView, Tokens};
use mediagate_core::{Code, Type, Value};

/// The tokens and numbers of a JavaScript value, as `host.js` writes them.
fn read(value: &str) -> (String, Vec<f64>) {
    let script = format!(
        "const {{ Input }} = await import(process.argv[1]);
        const {{ text, numbers }} = new Input({value});
        console.log([text, ...numbers].map((it) => encodeURIComponent(it)).join(' '));"
    );
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/src/host.js");
    // Node of version 20 reads a file without `type` as CommonJS, unless it is imported by its content.
    let module = format!("data:text/javascript,{}", escape(&std::fs::read_to_string(host).unwrap()));
    let output = Command::new("node").args(["--input-type=module", "--eval", &script, &module]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut words = printed.trim_end_matches('\n').split(' ');
    let text = unescape(words.next().unwrap());
    (text, words.map(|it| it.parse().unwrap()).collect())
}

fn escape(text: &str) -> String {
    text.bytes().map(|it| format!("%{it:02x}")).collect()
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = |high: u8, low: u8| u8::from_str_radix(&format!("{}{}", high as char, low as char), 16).unwrap();
        bytes.push(if byte == b'%' { digits(rest.next().unwrap(), rest.next().unwrap()) } else { byte });
    }
    String::from_utf8(bytes).unwrap()
}

fn member<'a>(input: &InputView<'a>, name: &str) -> InputView<'a> {
    input.get(name).unwrap_or_else(|| panic!("no member {name}: {:?}", input.keys()))
}

#[test]
fn an_input_that_host_js_reads_has_the_same_types_and_values_here() {
    let (text, numbers) = read(
        "{ null: null, boolean: true, number: 1.5, text: 'é', list: [1, 'b', []], object: { inner: 'c' },
           blob: new Blob(['abc'], { type: 'image/png' }), other: 10n, last: 7 }",
    );
    let tokens = Tokens::new(&text, numbers);
    let input = tokens.value();
    let expected = [
        ("null", Type::Null),
        ("boolean", Type::Boolean),
        ("number", Type::Number),
        ("text", Type::Text),
        ("list", Type::List),
        ("object", Type::Object),
        ("blob", Type::Blob),
        ("other", Type::Other),
        ("last", Type::Number),
    ];
    assert_eq!(input.kind(), Type::Object);
    assert_eq!(input.keys(), expected.map(|it| it.0));
    for (name, kind) in expected {
        assert_eq!(member(&input, name).kind(), kind, "{name}");
    }
    assert_eq!(member(&input, "number").number(), Some(1.5));
    assert_eq!(member(&input, "text").text().unwrap(), "é");
    let items = member(&input, "list").items();
    assert_eq!(items.iter().map(Value::kind).collect::<Vec<_>>(), [Type::Number, Type::Text, Type::List]);
    assert_eq!(member(&member(&input, "object"), "inner").text().unwrap(), "c");
    assert_eq!(member(&input, "blob").file(), Some(("image/png", 3.0)));
    assert_eq!(member(&input, "last").digits().unwrap(), "7");
}

/// The codes that the package's scripts use before there is a wasm.
const BEFORE_LOADING: [&str; 2] = ["not_loaded", "load_failed"];

#[test]
fn the_package_declares_the_codes_of_core_and_client_and_no_other() {
    let declared = include_str!("../../../pkg/error.d.ts");
    let start = declared.find("export type ErrorCode =").unwrap();
    let union = &declared[start..start + declared[start..].find(';').unwrap()];
    let mut found: Vec<_> = union.lines().filter_map(|it| it.trim().strip_prefix("| \"")?.strip_suffix('"')).collect();
    let core = Code::ALL.iter().filter(|it| it.0 != Code::OK).map(|it| it.1).chain(["unknown"]).chain(Code::CAUSES);
    let mut expected: Vec<_> = core.chain(code::ALL).chain(BEFORE_LOADING).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "pkg/error.d.ts");
}
