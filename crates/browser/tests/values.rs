//! Values of callers: no JavaScript value, however hostile, harms the client.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test may")]

mod scripted;

use js_sys::Array;
use mediagate_browser::bindings::{decode_envelope, validate};
use mediagate_browser::engine::transport::{base_url, is_header_value};
use mediagate_browser::host;
use mediagate_browser::value::Js;
use mediagate_core::{CAPABILITIES, Code, Value};
use scripted::eval;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Hostile values: their members lie or throw, they never end, or JSON cannot express them.
const STRANGE: &str = r#"[
    undefined, null, NaN, -Infinity, 10n, Symbol("id"), () => 1, new Date(NaN), new Map([["file_id", "f"]]),
    new Proxy({}, { get() { throw new Error("no"); }, ownKeys() { throw new Error("no"); } }),
    (() => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy; })(),
    (() => { const cycle = {}; cycle.file_id = cycle; return cycle; })(),
    (() => { const cycle = []; cycle.push(cycle); return cycle; })(),
    Object.assign([], { length: 2 ** 32 - 1 }), [, , 1], "\ud800", "\u0000", "x".repeat(1e6),
    Object.create(null, { file_id: { enumerable: true, get() { throw new Error("no"); } } }),
    ...[-1, NaN, 10n, Symbol("length"), {}].map((length) => new Proxy([], { get: (_, name) => name === "length" && length })),
    (() => { let reads = 0; return new Proxy([], { get() { if (reads++) throw new Error("no"); return 1; } }); })(),
    ...[Symbol("odd"), {}, { toString() { throw new Error("no"); } }].map((odd) =>
        Object.defineProperties(new Blob(["x"]), { size: { value: odd }, type: { value: odd } })),
    JSON.parse('{"__proto__": {"file_id": "f"}}'), { "file_id\u0000": "f" }, new Float64Array(1e7),
    { length: -1 }, { toJSON() { throw new Error("no"); } }, new Uint8Array(4), document.body, new String("f"),
]"#;

fn issues(name: &str, input: &JsValue) -> Vec<(String, String)> {
    let issues = Js(validate(name.into(), input.clone()).unwrap().into()).items();
    issues.iter().map(|it| (it.string("path").unwrap(), it.string("reason").unwrap())).collect()
}

#[wasm_bindgen_test]
fn no_hostile_value_is_a_valid_input() {
    for capability in CAPABILITIES {
        for value in Js(eval(STRANGE)).items() {
            assert!(!issues(capability.name(), &value.0).is_empty(), "{} took {value:?}", capability.name());
        }
    }
}

#[wasm_bindgen_test]
fn hostile_values_of_fields_do_no_harm() {
    for capability in CAPABILITIES {
        for field in capability.fields() {
            for value in Js(eval(STRANGE)).items() {
                let input = host::object(&[]);
                host::set(&input, field.name, &value.0);
                let found = issues(capability.name(), &input);
                let unknown = (field.name.to_owned(), "unknown_field".to_owned());
                assert!(!found.contains(&unknown), "{} of {} with {value:?}", field.name, capability.name());
            }
        }
    }
}

#[wasm_bindgen_test]
fn a_blob_is_valid_in_place_of_a_file_id_alone() {
    let input = eval("({ file_id: new Blob(['x'], { type: 'image/png' }), prompt: new Blob(['y']) })");
    assert_eq!(issues("image_to_video", &input), [("prompt".to_owned(), "wrong_type".to_owned())]);
}

#[wasm_bindgen_test]
fn an_unknown_capability_is_an_error_with_a_remedy() {
    for name in ["'video'", "''", "undefined", "7", "({})"] {
        let error = Js(validate(eval(name), JsValue::NULL).unwrap_err().into());
        assert_eq!(error.string("code").as_deref(), Some("invalid_argument"));
        assert!(error.string("message").unwrap().contains("capabilities()"), "{error:?}");
    }
}

#[wasm_bindgen_test]
fn a_gateway_is_an_http_url_without_query_fragment_and_user() {
    let url = |it: &str| base_url(&Js(eval(it)));
    assert_eq!(url("'https://a.test'").as_deref(), Some("https://a.test"));
    assert_eq!(url("'https://a.test/media/'").as_deref(), Some("https://a.test/media"));
    assert_eq!(url("new URL('http://a.test:81/')").as_deref(), Some("http://a.test:81"));
    assert!(url("'/media'").unwrap().ends_with("/media"), "relative to the page");
    for other in ["'https://u:p@a.test'", "'https://a.test/?key=1'", "'https://a.test/#x'", "'ftp://a.test'", "7"] {
        assert_eq!(url(other), None, "{other}");
    }
    assert!(
        !is_header_value("")
            && !is_header_value("a b")
            && !is_header_value("a\r\nb")
            && !is_header_value("é")
            && is_header_value("a.b-c_")
    );
}

#[wasm_bindgen_test]
fn every_documented_code_is_an_error_of_its_name() {
    for (code, name, _) in Code::ALL.iter().filter(|it| it.0 != Code::OK) {
        let text = format!(r#"{{"code":{},"message":"","data":{{"request_id":"r-1"}}}}"#, code.0);
        let error = Js(decode_envelope(200.into(), text.into(), JsValue::UNDEFINED).unwrap_err().into());
        assert_eq!(error.string("code").as_deref(), Some(*name));
        assert_eq!(error.member("appCode"), f64::from(code.0));
        assert!(!error.string("message").unwrap().is_empty());
        assert_eq!(error.string("requestId").as_deref(), Some("r-1"));
    }
}

#[wasm_bindgen_test]
fn a_response_without_an_envelope_is_unreadable() {
    let texts =
        ["", "<html>", "null", "[]", "7", "{}", r#"{"code":"x"}"#, "{\"code\":0", "\u{0}", &"[".repeat(100_000)];
    for text in texts {
        let error = Js(decode_envelope(502.into(), text.into(), JsValue::UNDEFINED).unwrap_err().into());
        assert_eq!(error.string("code").as_deref(), Some("unreadable"), "{text:.20}");
        assert!(error.member("retryable").is_truthy());
    }
    let error = decode_envelope(eval("'200'"), "{}".into(), JsValue::UNDEFINED).unwrap_err();
    assert_eq!(Js(error.into()).string("code").as_deref(), Some("invalid_argument"));
}

#[wasm_bindgen_test]
fn a_snapshot_has_the_whole_record() {
    let text =
        r#"{"code":0,"data":{"task":{"task_id":12,"state":"PROCESSING","progress":0.5,"odd":[1],"outputs":[]}}}"#;
    let snapshot = Js(decode_envelope(200.into(), text.into(), "split_video".into()).unwrap());
    assert_eq!(snapshot.string("id").as_deref(), Some("12"));
    assert_eq!(snapshot.string("state").as_deref(), Some("PROCESSING"));
    assert_eq!(snapshot.member("progress"), 0.5);
    assert_eq!(host::stringify(&Js(snapshot.member("raw")).member("odd")).unwrap(), "[1]");
    assert!(Array::is_array(&snapshot.member("outputs")));
}
