//! An example in Rust of a test suite that uses the emulator. It also runs the example in Node,
//! `examples/suite.test.mjs`.
use std::process::Command;

use mediagate_emulator::{Config, DEV_API_KEY, Emulator};
use serde_json::{Value, json};

#[tokio::test]
async fn a_create_fails_when_the_credits_are_used_up() {
    let emulator = Emulator::bind(Config::default()).await.unwrap().spawn(); // any free port
    // The proxy of your network serves no loopback.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();

    let scene = client
        .put(format!("{}/scene", emulator.admin_url()))
        .json(&json!({ "credits": 4 }));
    assert!(scene.send().await.unwrap().status().is_success());

    let url = format!(
        "{}/api/app/v1/generate/image/text_to_image",
        emulator.base_url()
    );
    let draw = async || {
        let body = json!({ "prompt": "a lighthouse", "width": 64, "height": 64 });
        let response = client
            .post(&url)
            .bearer_auth(DEV_API_KEY)
            .json(&body)
            .send()
            .await
            .unwrap();
        response.json::<Value>().await.unwrap()["code"].clone()
    };
    assert_eq!((draw().await, draw().await), (json!(0), json!(1401)));
}

#[test]
fn the_example_in_node_works() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/suite.test.mjs");
    let mut command = Command::new("node");
    let run = command.args(["--test", suite]).env(
        "MEDIAGATE_EMULATOR",
        env!("CARGO_BIN_EXE_mediagate-emulator"),
    );
    let run = run.output().unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
}
