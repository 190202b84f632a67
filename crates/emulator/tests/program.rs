//! Tests of the binary, which is started, killed and started again, as a test suite would do.
use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::support::{Sent, Service, client, png, quick, sample};
use mediagate_core::FileKind;
use mediagate_emulator::{Config, Emulator, EmulatorError};
use serde_json::{Value, json};

/// The running binary. Dropping the value kills it.
struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    service: Service,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        Program::start_in(&std::env::temp_dir(), arguments)
    }

    /// Starts the binary with this directory for temporary files.
    fn start_in(temporary: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mediagate-emulator"));
        command
            .args(["--listen", "127.0.0.1:0", "--task-seconds", "0"])
            .args(arguments)
            .env("TMPDIR", temporary);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        Program {
            child,
            lines,
            service: Service::new(first["url"].as_str().unwrap()),
        }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.service.post(path, body).await.1["data"].clone()
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
    let file_id = first.service.upload(png(20, 20, [250, 250, 250])).await;
    let removal = async |program: &Program| {
        let body = json!({ "file_id": file_id });
        program.post("process/image/background_removal", body).await["task"].clone()
    };
    let done = removal(&first).await;
    let done = format!("process/tasks/{}", done["id"].as_str().unwrap());
    let output = first.service.ended(&done).await["output_url"]
        .as_str()
        .unwrap()
        .replace(&first.service.base_url, "");
    let (unused_url, unused_id) = first.service.upload_url(4).await;
    let unused_url = unused_url.replace(&first.service.base_url, "");
    let clip =
        json!({ "file_id": file_id, "prompt": "long", "clarity": "4K", "duration_seconds": 6 });
    let interrupted = first.post("generate/video/image_to_video", clip).await;
    let interrupted = interrupted["task"]["id"].as_str().unwrap();
    let interrupted = format!("generate/tasks/{interrupted}");
    first.kill();
    std::fs::write(directory.path().join("outputs/unnamed.mp4"), "half").unwrap();

    let second = Program::start(&["--data", data, "--credits", "100"]);
    let task = second.service.ended(&done).await;
    assert_eq!(
        task["output_url"],
        format!("{}{output}", second.service.base_url),
        "at the new address"
    );
    let result = client().get(task["output_url"].as_str().unwrap());
    assert!(result.download().await.starts_with(b"\x89PNG"));
    // An upload URL that was issued before.
    let put = client()
        .put(format!("{}{unused_url}", second.service.base_url))
        .body("%PDF");
    assert_eq!(put.status().await, 200);
    let body = json!({ "input_file_ids": [unused_id] });
    let merged = second.post("process/asset/merge_pdf", body).await;
    assert!(merged["task"]["id"].is_string(), "{merged}");
    let again = removal(&second).await;
    assert!(again["id"].is_string(), "a file that was uploaded");
    assert_eq!(
        second.service.ended(&interrupted).await["status"],
        "SUCCEEDED",
        "its work began again"
    );
    assert!(
        !directory.path().join("outputs/unnamed.mp4").exists(),
        "a result that no task names"
    );
    let body = json!({ "file_id": file_id, "prompt": "x" });
    let latest = second.post("generate/video/image_to_video", body).await;
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
    let mut program = Program::start_in(directory.path(), &[]);
    assert_eq!(entries(directory.path()), 1);
    let file_id = program.service.upload(sample(FileKind::Image)).await;
    let clip = json!({
        "file_id": file_id, "prompt": "x", "clarity": "4K", "duration_seconds": 60,
    });
    assert!(program.post("generate/video/image_to_video", clip).await["task"]["id"].is_string());
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
    let (url, _) = program.service.upload_url(4).await;
    client().put(&url).body("%PDF").sent().await;
    let body = json!({ "prompt": "a secret prompt", "title": "a title" });
    program.post("generate/image/text_to_image", body).await;
    let mut all = String::new();
    let lines = program.lines.by_ref().map(Result::unwrap);
    let lines = lines.inspect(|line| all += line);
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let mut requests = lines.filter(|line| line["message"] == "request");
    let last = requests.nth(2).unwrap();
    assert_eq!(last["path"], "/api/app/v1/generate/image/text_to_image");
    assert_eq!(
        (&last["method"], &last["status"], &last["code"]),
        (&json!("POST"), &json!(200), &json!(0))
    );
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
        "--data",
        "--scene",
        "--dialect",
        "--extensions",
        "--results",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
    for named in mediagate_emulator::dialect::NAMED {
        assert!(help.contains(named.name) && help.contains(named.summary));
    }
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
        !succeeded && error.contains("post-form, camel-case"),
        "{error}"
    );
    let (succeeded, _, error) = run(&["--scene", "/nowhere.json"]);
    assert!(!succeeded && error.contains("cannot be read"), "{error}");
}
