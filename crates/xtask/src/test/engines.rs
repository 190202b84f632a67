//! The step `engines`: in Firefox and WebKit, the packed package, the playground, and the client's own tests.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::node;
use super::options::Options;
use crate::checkout::Checkout;
use crate::{browser, tools};

pub(super) fn engines(checkout: &Checkout, options: &Options) -> Result<()> {
    let engines = browser::ensure_engines()?;
    let client_tests = client_tests(checkout)?;
    for browser::Engine { name, programs } in engines {
        println!("in {name}:");
        node::test(checkout, options, "tests/engines", |node| {
            node.env("ENGINE", name)
                .envs(programs)
                .env("CLIENT_TESTS", &client_tests)
                .env("CLIENT_TEST_RUNNER", checkout.tool("wasm-bindgen-test-runner"));
        })?;
    }
    Ok(())
}

/// Builds the client's tests, as the step `wasm` does; returns their paths, in the form of `PATH`.
fn client_tests(checkout: &Checkout) -> Result<OsString> {
    let output = tools::cargo(checkout)
        .args(["test", "--quiet", "--package", "mediagate-browser", "--target", tools::WASM])
        .args(["--tests", "--no-run", "--message-format", "json"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo does not start")?;
    if !output.status.success() {
        bail!("the client's tests do not compile; the reason is above");
    }
    let paths = executables(&String::from_utf8_lossy(&output.stdout));
    if paths.is_empty() {
        bail!("crates/browser/tests has no test; a step without tests proves nothing");
    }
    env::join_paths(paths).context("the target folder's path contains a separator of PATH; move it")
}

/// The integration tests among the messages of cargo; the library itself has no tests that run in a browser.
fn executables(messages: &str) -> Vec<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = messages.filter(|it| it["target"]["kind"][0] == "test");
    tests.filter_map(|it| it["executable"].as_str().map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_are_read_from_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"kind":["lib"]},"executable":"/t/lib.wasm"}
{"reason":"compiler-artifact","target":{"kind":["test"]},"executable":"/t/calls.wasm"}
{"reason":"compiler-artifact","target":{"kind":["test"]},"executable":null}
not a message"#;
        assert_eq!(executables(messages), [PathBuf::from("/t/calls.wasm")]);
    }
}
