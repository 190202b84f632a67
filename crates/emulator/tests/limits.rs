//! Tests of damaged and harmful media. The task fails with a message, the emulator keeps running,
//! and no temporary file is left.
use std::{collections::BTreeMap, path::Path, time::Duration};

use crate::support::{
    Api, assert_no_panic,
    ffmpeg::{from, make, red_then_blue},
    quick, sample, start, start_with, wav,
};
use mediagate_core::FileKind;
use mediagate_emulator::{MediaError, Results};
use serde_json::{Value, json};

const RESIZE: &str = "process/video/resize_video";
const VOLUME: &str = "process/audio/adjust_audio_volume";
const SPLIT_PDF: &str = "process/asset/split_pdf";
const MERGE_PDF: &str = "process/asset/merge_pdf";

/// Uploads a video, and returns the body that resizes it.
async fn resize(api: &Api, video: Vec<u8>) -> Value {
    json!({ "input_file_id": api.upload(video).await, "width": 32, "height": 32 })
}

/// Returns the error message of a create. Also checks that the emulator responds and has no
/// temporary file.
async fn failure(api: &Api, path: &str, body: Value) -> String {
    let message = api.failure(path, body).await;
    assert_eq!(api.get("models").await.0, 200);
    assert_eq!(temporary_files(api.emulator.directory()), 0);
    message
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
        let message = failure(&api, RESIZE, resize(&api, video).await).await;
        assert_eq!(message, expected.to_string(), "{name}");
    }
    let text = b"this is text, called movie.mp4".to_vec();
    assert_eq!(api.code(RESIZE, resize(&api, text).await).await, 12);
}

#[tokio::test]
async fn a_playlist_fetches_nothing() {
    let api = start(quick()).await;
    let id = api.upload(red_then_blue()).await;
    let secret = api.emulator.directory().join("uploads").join(id);
    let playlist = format!(
        "\x1aE\u{df}\u{a3}#EXTM3U\n#EXTINF:1,\nfile://{}\n",
        secret.display()
    );
    let playlist = resize(&api, playlist.into_bytes()).await;
    assert_eq!(api.code(RESIZE, playlist).await, 12);
    let reference = format!("ffconcat version 1.0\nfile '{}'\n", secret.display());
    let padded = [
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\n".as_slice(),
        reference.as_bytes(),
    ]
    .concat();
    failure(&api, RESIZE, resize(&api, padded).await).await;
}

#[tokio::test]
async fn damaged_audio_fails_with_a_message() {
    let api = start(quick()).await;
    let tone = make("-f lavfi -i sine=440:d=1 -c:a flac", "flac");
    let louder = async |sound| json!({ "input_file_id": api.upload(sound).await, "volume": "2" });
    // A WAV file that only ffmpeg can read.
    let adpcm = make("-f lavfi -i sine=440:d=1 -c:a adpcm_ima_wav", "wav");
    api.result(VOLUME, louder(adpcm).await).await;
    for damaged in [
        [b"ID3\x04\0\0\0\0\0\0".as_slice(), &[0x11; 4000]].concat(),
        tone[..60].to_vec(),
        [b"RIFF\x10\0\0\0WAVE".as_slice(), &[7; 30]].concat(),
    ] {
        failure(&api, VOLUME, louder(damaged).await).await;
    }
}

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
    let own_child = "<</Type /Pages /Kids [2 0 R] /Count 1>>";
    let many = "<</Type /Pages /Kids [3 0 R] /Count 4294967295>>";
    let no_kid = "<</Type /Pages /Kids [9 0 R] /Count 1>>";
    let own_parent = "<</Type /Page /Parent 3 0 R>>";
    let with_object = page("/X 4 0 R");
    for (name, objects) in [
        ("nested arrays", vec![catalog, pages, &with_object, &deep]),
        (
            "nested dictionaries",
            vec![catalog, pages, &with_object, &deep_dictionary],
        ),
        ("a tree that is its own child", vec![catalog, own_child]),
        (
            "a page that is its own parent",
            vec![catalog, pages, own_parent],
        ),
        (
            "an object that is itself",
            vec![catalog, pages, &with_object, "4 0 R"],
        ),
        ("more pages than there are", vec![catalog, many, &page("")]),
        ("no tree", vec!["<</Type /Catalog>>"]),
        ("a kid that is missing", vec![catalog, no_kid]),
    ] {
        let id = api.upload(document(&objects)).await;
        for (path, body) in [
            (SPLIT_PDF, json!({ "input_file_id": id, "page_range": "1" })),
            (MERGE_PDF, json!({ "input_file_ids": [id, id] })),
        ] {
            assert_no_panic(&api.finished(path, body).await, name);
        }
    }
}

#[tokio::test]
async fn work_that_exceeds_its_limits_is_ended() {
    let slow = start_with(|config| config.job_seconds = Duration::ZERO).await;
    let message = failure(&slow, RESIZE, resize(&slow, red_then_blue()).await).await;
    let timeout = MediaError::Timeout(Duration::ZERO).to_string();
    assert_eq!(message, timeout);
    let document = slow.upload(sample(FileKind::Pdf)).await;
    let picture = slow.upload(sample(FileKind::Image)).await;
    for (path, body) in [
        (
            SPLIT_PDF,
            json!({ "input_file_id": document, "page_range": "1" }),
        ),
        (MERGE_PDF, json!({ "input_file_ids": [document, document] })),
        (
            "process/image/background_removal",
            json!({ "file_id": picture }),
        ),
        (
            "generate/image/text_to_image",
            json!({ "prompt": "a lighthouse" }),
        ),
    ] {
        let message = failure(&slow, path, body).await;
        assert_eq!(message, timeout, "{path}");
    }

    let small = start_with(|config| config.max_output_bytes = 4000).await;
    let noise = make(
        "-f lavfi -i nullsrc=s=64x64:r=10:d=3 -vf geq=random(1)*255:128:128 -pix_fmt yuv420p",
        "mp4",
    );
    let message = failure(&small, RESIZE, resize(&small, noise).await).await;
    assert_eq!(message, MediaError::TooLarge(4000).to_string());
}

#[tokio::test]
async fn tasks_that_need_ffmpeg_fail_without_it() {
    let api = start_with(|config| config.ffmpeg = Some("/nowhere/ffmpeg".into())).await;
    let body = resize(&api, sample(FileKind::Video)).await;
    let missing = MediaError::MissingProgram("/nowhere/ffmpeg".into()).to_string();
    assert_eq!(failure(&api, RESIZE, body).await, missing);
    let body = json!({ "input_file_id": api.upload(wav(&[100; 10])).await, "volume": "2" });
    api.result(VOLUME, body).await;
    let body = json!({
        "avatar_asset_id": "avatar_public", "voice_asset_id": "voice_public", "text": "Hi",
    });
    let drawn = api.finished("generate/video/text_driven", body).await;
    let note = drawn["outputs"][0]["note"].as_str().unwrap();
    assert!(note.ends_with(&missing), "{drawn}");
}

/// Returns the member `missing` of the models that have it, by their capability.
async fn missing(api: &Api) -> BTreeMap<String, Value> {
    let (_, body) = api.get("models").await;
    let models = body["data"]["models"].as_array().unwrap();
    let marked = models.iter().filter(|model| model["missing"].is_object());
    let entry = |model: &Value| {
        let capability = model["capability"].as_str().unwrap();
        (capability.to_owned(), model["missing"].clone())
    };
    marked.map(entry).collect()
}

#[tokio::test]
async fn the_list_of_models_says_which_need_an_ffmpeg_that_is_missing() {
    let api = start_with(|config| config.ffmpeg = Some("/nowhere/ffmpeg".into())).await;
    let remedy = MediaError::MissingProgram("/nowhere/ffmpeg".into()).to_string();
    let capabilities = [
        "add_audio_to_video",
        "object_removal_by_prompt",
        "resize_video",
        "split_video",
        "subtitle_removal",
        "video_logo_removal",
    ];
    let expected = json!({ "program": "ffmpeg", "remedy": remedy });
    let expected = capabilities.map(|name| (name.to_owned(), expected.clone()));
    assert_eq!(missing(&api).await, BTreeMap::from(expected));

    // Placeholders need no ffmpeg.
    let api = start_with(|config| {
        config.ffmpeg = Some("/nowhere/ffmpeg".into());
        config.results = Results::Placeholder;
    });
    assert_eq!(missing(&api.await).await, BTreeMap::new());
}

#[cfg(unix)]
#[tokio::test]
async fn a_missing_encoder_is_reported_as_such() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/support/ffmpeg-without-encoder.sh"
    );
    let api = start_with(|config| config.ffmpeg = Some(program.into())).await;
    let message = failure(&api, RESIZE, resize(&api, sample(FileKind::Video)).await).await;
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
