//! Tests of the binary, which is started, killed and started again, as a test suite would do.
use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::support::{client, png, quick, sample};
use mediagate_core::FileKind;
use mediagate_emulator::{Config, Emulator, EmulatorError};
use serde_json::{Value, json};

/// The running binary. Dropping the value kills it.
struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mediagate-emulator"));
        command
            .args(["--listen", "127.0.0.1:0", "--task-seconds", "0"])
            .args(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        Program {
            child,
            lines,
            url: first["url"].as_str().unwrap().to_owned(),
        }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a POST request with the key and returns the envelope's data.
    async fn post(&self, path: &str, body: Value) -> Value {
        let request = client()
            .post(format!("{}/api/app/v1/{path}", self.url))
            .bearer_auth("emulator-dev-key");
        request
            .json(&body)
            .send()
            .await
            .unwrap()
            .json::<Value>()
            .await
            .unwrap()["data"]
            .clone()
    }

    async fn upload_url(&self, size: usize) -> (String, String) {
        let body = json!({ "file_name": "a", "content_type": "image/png", "size": size });
        let data = self.post("upload_urls", body).await;
        (
            data["upload_url"].as_str().unwrap().into(),
            data["file_id"].as_str().unwrap().into(),
        )
    }

    async fn upload(&self, bytes: Vec<u8>) -> String {
        let (url, file_id) = self.upload_url(bytes.len()).await;
        assert!(
            client()
                .put(url)
                .body(bytes)
                .send()
                .await
                .unwrap()
                .status()
                .is_success()
        );
        file_id
    }

    /// Polls a task until it has ended.
    async fn ended(&self, path: &str) -> Value {
        loop {
            let request = client()
                .get(format!("{}/api/app/v1/{path}", self.url))
                .bearer_auth("emulator-dev-key");
            let envelope: Value = request.send().await.unwrap().json().await.unwrap();
            let task = &envelope["data"]["task"];
            match task["status"].as_str() {
                Some("SUCCEEDED" | "FAILED" | "EXPIRED") => return task.clone(),
                Some(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                None => panic!("no task: {envelope}"),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails if the binary has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn with_data_everything_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let mut first = Program::start(&["--data", data, "--credits", "100"]);
    let file_id = first.upload(png(20, 20, [250, 250, 250])).await;
    let done = first
        .post(
            "process/image/background_removal",
            json!({ "file_id": file_id }),
        )
        .await;
    let done = format!("process/tasks/{}", done["task"]["id"].as_str().unwrap());
    let output = first.ended(&done).await["output_url"]
        .as_str()
        .unwrap()
        .replace(&first.url, "");
    let (unused_url, unused_id) = first.upload_url(4).await;
    let unused_url = unused_url.replace(&first.url, "");
    let clip =
        json!({ "file_id": file_id, "prompt": "long", "clarity": "4K", "duration_seconds": 6 });
    let interrupted = first.post("generate/video/image_to_video", clip).await;
    let interrupted = format!(
        "generate/tasks/{}",
        interrupted["task"]["id"].as_str().unwrap()
    );
    first.kill();
    std::fs::write(directory.path().join("outputs/unnamed.mp4"), "half").unwrap();

    let second = Program::start(&["--data", data, "--credits", "100"]);
    let task = second.ended(&done).await;
    assert_eq!(
        task["output_url"],
        format!("{}{output}", second.url),
        "at the new address"
    );
    let bytes = client()
        .get(task["output_url"].as_str().unwrap())
        .send()
        .await
        .unwrap()
        .bytes()
        .await
        .unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    let put = client()
        .put(format!("{}{unused_url}", second.url))
        .body("%PDF")
        .send()
        .await
        .unwrap();
    assert!(
        put.status().is_success(),
        "an upload URL that was issued before"
    );
    let merged = second
        .post(
            "process/asset/merge_pdf",
            json!({ "input_file_ids": [unused_id] }),
        )
        .await;
    assert!(merged["task"]["id"].is_string(), "{merged}");
    let again = second
        .post(
            "process/image/background_removal",
            json!({ "file_id": file_id }),
        )
        .await;
    assert!(again["task"]["id"].is_string(), "a file that was uploaded");
    assert_eq!(
        second.ended(&interrupted).await["status"],
        "SUCCEEDED",
        "its work began again"
    );
    assert!(
        !directory.path().join("outputs/unnamed.mp4").exists(),
        "a result that no task names"
    );
    let latest = second
        .post(
            "generate/video/image_to_video",
            json!({ "file_id": file_id, "prompt": "x" }),
        )
        .await;
    assert_eq!(
        latest["credits"],
        100 - 2 - 60 - 2 - 2,
        "the credits that were spent are still spent"
    );

    let config = Config {
        data: Some(data.into()),
        ..quick()
    };
    assert!(matches!(
        Emulator::bind(config).await.err(),
        Some(EmulatorError::InUse(_))
    ));
}

#[tokio::test]
async fn without_data_an_interrupt_removes_every_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mediagate-emulator"));
    command
        .args(["--listen", "127.0.0.1:0"])
        .env("TMPDIR", directory.path());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let url: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(entries(directory.path()), 1);
    let program = Program {
        child,
        lines,
        url: url["url"].as_str().unwrap().into(),
    };
    let file_id = program.upload(sample(FileKind::Image)).await;
    let clip = json!({
        "file_id": file_id, "prompt": "x", "clarity": "4K", "duration_seconds": 60,
    });
    assert!(program.post("generate/video/image_to_video", clip).await["task"]["id"].is_string());
    let mut program = program;
    let interrupted = Command::new("kill")
        .args(["-INT", &program.child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success() && program.child.wait().unwrap().success());
    assert_eq!(entries(directory.path()), 0);
}

fn entries(directory: &Path) -> usize {
    std::fs::read_dir(directory).unwrap().count()
}

#[tokio::test]
async fn the_log_is_json_and_contains_no_secret() {
    let mut program = Program::start(&[]);
    let (url, _) = program.upload_url(4).await;
    client().put(&url).body("%PDF").send().await.unwrap();
    program
        .post(
            "generate/image/text_to_image",
            json!({ "prompt": "a secret prompt", "title": "a title" }),
        )
        .await;
    let mut logged = Vec::new();
    while logged
        .iter()
        .filter(|line: &&Value| line["message"] == "request")
        .count()
        < 3
    {
        logged.push(serde_json::from_str(&program.lines.next().unwrap().unwrap()).unwrap());
    }
    let last = logged.last().unwrap();
    assert_eq!(last["path"], "/api/app/v1/generate/image/text_to_image");
    assert_eq!(
        (&last["method"], &last["status"], &last["code"]),
        (&json!("POST"), &json!(200), &json!(0))
    );
    let all = Value::from(logged).to_string();
    for secret in [
        "emulator-dev-key",
        "a secret prompt",
        "a title",
        url.rsplit('/').next().unwrap(),
    ] {
        assert!(!all.contains(secret), "{secret}");
    }
}

#[test]
fn help_lists_the_settings_and_errors_are_one_line() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mediagate-emulator"));
        let output = command
            .args(arguments)
            .env("MEDIAGATE_EMULATOR_API_KEY", "from-the-environment")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.success(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (succeeded, help, _) = run(&["--help"]);
    assert!(succeeded);
    for flag in [
        "--listen",
        "--admin",
        "--data",
        "--scene",
        "--ffmpeg",
        "--task-seconds",
        "--log",
        "--dialect",
        "--results",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
    assert!(
        mediagate_emulator::dialect::NAMED
            .iter()
            .all(|named| help.contains(named.name) && help.contains(named.summary))
    );
    assert!(
        !help.contains("from-the-environment"),
        "no key from the environment"
    );
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (succeeded, _, error) = run(&["--listen", &address]);
    assert!(
        !succeeded && error.lines().count() == 1 && error.contains("--listen"),
        "{error}"
    );
    let (succeeded, _, error) = run(&["--dialect", "beans"]);
    assert!(
        !succeeded && error.contains("post-form, nested-file"),
        "{error}"
    );
    let (succeeded, _, error) = run(&["--scene", "/nowhere.json"]);
    assert!(!succeeded && error.contains("cannot be read"), "{error}");
}
