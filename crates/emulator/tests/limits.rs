//! Tests of damaged and harmful media. The task fails with a message, the emulator keeps running,
//! and no temporary file is left.
use std::{path::Path, time::Duration};

use crate::support::{
    Api, assert_no_panic,
    ffmpeg::{from, make, red_then_blue},
    quick, sample, start, wav,
};
use mediagate_core::FileKind;
use mediagate_emulator::{Config, MediaError};
use serde_json::{Value, json};

const RESIZE: &str = "process/video/resize_video";

/// Resizes a video and returns its task.
async fn resized(api: &Api, video: Vec<u8>) -> Value {
    let id = api.upload(video).await;
    api.finished(
        RESIZE,
        json!({ "input_file_id": id, "width": 32, "height": 32 }),
    )
    .await
}

/// Returns the error message of a task that failed. Also checks that the emulator responds and has
/// no temporary file.
async fn failure(api: &Api, task: Value) -> String {
    assert_eq!(task["status"], "FAILED", "{task}");
    assert_eq!(api.get("models").await.1["code"], 0);
    assert_eq!(temporary_files(api.emulator.directory()), 0);
    task["error"]["message"].as_str().unwrap().into()
}

fn temporary_files(directory: &Path) -> usize {
    std::fs::read_dir(directory.join("work")).unwrap().count()
}

#[tokio::test]
async fn damaged_videos_fail_with_a_message() {
    let api = start(quick()).await;
    let front = red_then_blue();
    let back = from(&front, "-c copy -movflags 0", "mp4");
    let webm = from(&front, "-an -c:v libvpx -b:v 100k -g 1", "webm");
    let cut = |bytes: &[u8]| bytes[..bytes.len() * 6 / 10].to_vec();
    let mut overwritten = front.clone();
    overwritten[front.len() / 2..].fill(0xa5);
    let disguised = [
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".as_slice(),
        &b"just text ".repeat(50),
    ]
    .concat();
    for (name, video, expected) in [
        ("index first", cut(&front), MediaError::Damaged),
        ("index last", cut(&back), MediaError::MissingIndex),
        ("webm", cut(&webm), MediaError::CutOff),
        ("overwritten", overwritten, MediaError::Unrecognized),
        ("text", disguised, MediaError::MissingIndex),
        (
            "header only",
            front[..40].to_vec(),
            MediaError::MissingStream,
        ),
        (
            "no picture",
            make("-f lavfi -i sine=440:d=1 -c:a aac", "mp4"),
            MediaError::MissingStream,
        ),
    ] {
        assert_eq!(
            failure(&api, resized(&api, video).await).await,
            expected.to_string(),
            "{name}"
        );
    }
    let named = api.upload(b"this is text, called movie.mp4".to_vec()).await;
    assert_eq!(
        api.code(
            RESIZE,
            json!({ "input_file_id": named, "width": 32, "height": 32 })
        )
        .await,
        12
    );
}

#[tokio::test]
async fn a_playlist_fetches_nothing() {
    let api = start(quick()).await;
    let secret = api
        .emulator
        .directory()
        .join("uploads")
        .join(api.upload(red_then_blue()).await);
    let playlist = format!(
        "\x1aE\u{df}\u{a3}#EXTM3U\n#EXTINF:1,\nfile://{}\n",
        secret.display()
    );
    let id = api.upload(playlist.into_bytes()).await;
    assert_eq!(
        api.code(
            RESIZE,
            json!({ "input_file_id": id, "width": 32, "height": 32 })
        )
        .await,
        12
    );
    let reference = format!("ffconcat version 1.0\nfile '{}'\n", secret.display());
    let padded = [
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\n".as_slice(),
        reference.as_bytes(),
    ]
    .concat();
    failure(&api, resized(&api, padded).await).await;
}

#[tokio::test]
async fn damaged_audio_fails_with_a_message() {
    let api = start(quick()).await;
    let tone = make("-f lavfi -i sine=440:d=1 -c:a flac", "flac");
    let volume = async |sound: Vec<u8>| {
        let body = json!({ "input_file_id": api.upload(sound).await, "volume": "2" });
        api.finished("process/audio/adjust_audio_volume", body)
            .await
    };
    let adpcm = make("-f lavfi -i sine=440:d=1 -c:a adpcm_ima_wav", "wav");
    assert_eq!(
        volume(adpcm).await["status"],
        "SUCCEEDED",
        "a WAV file that only ffmpeg can read"
    );
    let noise = [b"ID3\x04\0\0\0\0\0\0".as_slice(), &[0x11; 4000]].concat();
    failure(&api, volume(noise).await).await;
    failure(&api, volume(tone[..60].to_vec()).await).await;
    failure(
        &api,
        volume([b"RIFF\x10\0\0\0WAVE".as_slice(), &[7; 30]].concat()).await,
    )
    .await;
}

/// Returns a PDF document with these objects.
fn document(objects: &[&str]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut index = String::new();
    for (at, object) in objects.iter().enumerate() {
        index += &format!("{:010} 00000 n \n", bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).into_bytes());
    }
    let start = bytes.len();
    let count = objects.len() + 1;
    let trailer = format!("trailer <</Size {count} /Root 1 0 R>>\nstartxref\n{start}\n%%EOF");
    bytes.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{index}{trailer}").into_bytes());
    bytes
}

#[tokio::test]
async fn harmful_documents_do_not_crash_a_job() {
    let api = start(quick()).await;
    let catalog = "<</Type /Catalog /Pages 2 0 R>>";
    let pages = "<</Type /Pages /Kids [3 0 R] /Count 1>>";
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let deep_dictionary = format!("{}1{}", "<</A ".repeat(50_000), ">>".repeat(50_000));
    let page = |extra: &str| format!("<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] {extra}>>");
    for (name, objects) in [
        (
            "nested arrays",
            vec![catalog, pages, &page("/X 4 0 R"), &deep],
        ),
        (
            "nested dictionaries",
            vec![catalog, pages, &page("/X 4 0 R"), &deep_dictionary],
        ),
        (
            "a tree that is its own child",
            vec![catalog, "<</Type /Pages /Kids [2 0 R] /Count 1>>"],
        ),
        (
            "a page that is its own parent",
            vec![catalog, pages, "<</Type /Page /Parent 3 0 R>>"],
        ),
        (
            "an object that is itself",
            vec![catalog, pages, &page("/X 4 0 R"), "4 0 R"],
        ),
        (
            "more pages than there are",
            vec![
                catalog,
                "<</Type /Pages /Kids [3 0 R] /Count 4294967295>>",
                &page(""),
            ],
        ),
        ("no tree", vec!["<</Type /Catalog>>"]),
        (
            "a kid that is missing",
            vec![catalog, "<</Type /Pages /Kids [9 0 R] /Count 1>>"],
        ),
    ] {
        let id = api.upload(document(&objects)).await;
        for (path, body) in [
            (
                "process/asset/split_pdf",
                json!({ "input_file_id": id, "page_range": "1" }),
            ),
            (
                "process/asset/merge_pdf",
                json!({ "input_file_ids": [id, id] }),
            ),
        ] {
            assert_no_panic(&api.finished(path, body).await, name);
        }
    }
}

#[tokio::test]
async fn work_that_exceeds_its_limits_is_ended() {
    let slow = start(Config {
        job_seconds: Duration::ZERO,
        ..quick()
    })
    .await;
    let message = failure(&slow, resized(&slow, red_then_blue()).await).await;
    let timeout = MediaError::Timeout(Duration::ZERO).to_string();
    assert_eq!(message, timeout);
    let document = slow.upload(sample(FileKind::Pdf)).await;
    let picture = slow.upload(sample(FileKind::Image)).await;
    for (path, body) in [
        (
            "process/asset/split_pdf",
            json!({ "input_file_id": document, "page_range": "1" }),
        ),
        (
            "process/asset/merge_pdf",
            json!({ "input_file_ids": [document, document] }),
        ),
        (
            "process/image/background_removal",
            json!({ "file_id": picture }),
        ),
        (
            "generate/image/text_to_image",
            json!({ "prompt": "a lighthouse" }),
        ),
    ] {
        let message = failure(&slow, slow.finished(path, body).await).await;
        assert_eq!(message, timeout, "{path}");
    }

    let small = start(Config {
        max_output_bytes: 4000,
        ..quick()
    })
    .await;
    let noise = make(
        "-f lavfi -i nullsrc=s=64x64:r=10:d=3 -vf geq=random(1)*255:128:128 -pix_fmt yuv420p",
        "mp4",
    );
    let message = failure(&small, resized(&small, noise).await).await;
    assert_eq!(message, MediaError::TooLarge(4000).to_string());
}

#[tokio::test]
async fn tasks_that_need_ffmpeg_fail_without_it() {
    let api = start(Config {
        ffmpeg: Some("/nowhere/ffmpeg".into()),
        ..quick()
    })
    .await;
    let message = failure(&api, resized(&api, sample(FileKind::Video)).await).await;
    assert_eq!(
        message,
        MediaError::MissingProgram("/nowhere/ffmpeg".into()).to_string()
    );
    let body = json!({ "input_file_id": api.upload(wav(&[100; 10])).await, "volume": "2" });
    assert_eq!(
        api.finished("process/audio/adjust_audio_volume", body)
            .await["status"],
        "SUCCEEDED"
    );
    let body = json!({
        "avatar_asset_id": "avatar_public", "voice_asset_id": "voice_public", "text": "Hi",
    });
    let drawn = api.finished("generate/video/text_driven", body).await;
    let missing = MediaError::MissingProgram("/nowhere/ffmpeg".into());
    assert!(
        drawn["outputs"][0]["note"]
            .as_str()
            .unwrap()
            .ends_with(&missing.to_string()),
        "{drawn}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_missing_encoder_is_reported_as_such() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/support/ffmpeg-without-encoder.sh"
    );
    let api = start(Config {
        ffmpeg: Some(program.into()),
        ..quick()
    })
    .await;
    let message = failure(&api, resized(&api, sample(FileKind::Video)).await).await;
    assert_eq!(message, MediaError::MissingFeature.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_the_emulator_ends_ffmpeg() {
    let api = start(quick()).await;
    let file_id = api.upload(sample(FileKind::Image)).await;
    let body =
        json!({ "file_id": file_id, "prompt": "x", "clarity": "4K", "duration_seconds": 60 });
    assert_eq!(api.code("generate/video/image_to_video", body).await, 0);
    let directory = api.emulator.directory().to_owned();
    while temporary_files(&directory) == 0 {
        tokio::task::yield_now().await;
    }
    api.emulator.stop().await;
    assert!(!directory.exists());
}
