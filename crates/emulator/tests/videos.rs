//! Tests that process videos and audio with ffmpeg, then decode and inspect the results.
use crate::support::{
    ffmpeg::{frame, from, is_about, loudness, make, red_then_blue, tenths},
    mp4, png, quick, start, wav,
};
use image::GenericImageView;
use mediagate_emulator::MediaError;
use serde_json::{Value, json};

const RED: [u8; 3] = [254, 0, 0];
const BLUE: [u8; 3] = [0, 0, 254];
const BLACK: [u8; 3] = [0, 0, 0];
const WHITE: [u8; 3] = [255, 255, 255];

const SPLIT: &str = "process/video/split_video";
const ADD_AUDIO: &str = "process/video/add_audio_to_video";
const SUBTITLES: &str = "process/video/subtitle_removal";
const LOGO: &str = "process/video/video_logo_removal";
const OBJECT: &str = "process/video/object_removal_by_prompt";

#[tokio::test]
async fn a_video_is_split_into_its_segments() {
    let api = start(quick()).await;
    let id = api.upload(red_then_blue()).await;
    let segment = |start: &str, end: &str| json!({ "start_time": start, "end_time": end });
    let segments = json!([
        segment("00:00:00", "00:00:02"),
        segment("00:00:01", "00:00:04")
    ]);
    let body = json!({ "input_file_id": id, "segments": segments });
    let task = api.finished(SPLIT, body).await;
    let parts = task["outputs"]
        .as_array()
        .unwrap_or_else(|| panic!("{task}"));
    assert_eq!(parts.len(), 2);
    let first = api.download(&parts[0]["url"]).await;
    let second = api.download(&parts[1]["url"]).await;
    assert_eq!((tenths(&first), tenths(&second)), (20, 30));
    assert!(is_about(&frame(&first, 1.8), (80, 60), RED));
    assert!(
        is_about(&frame(&second, 0.5), (80, 60), RED)
            && is_about(&frame(&second, 2.5), (80, 60), BLUE)
    );
    assert!(
        loudness(&second) > 1000.0,
        "the audio is part of the segment"
    );

    let body = json!({ "input_file_id": id, "segments": [segment("00:00:01", "00:00:05")] });
    let message = api.failure(SPLIT, body).await;
    assert_eq!(message, MediaError::SegmentPastEnd(5, 4.0).to_string());
}

#[tokio::test]
async fn a_video_is_resized() {
    let api = start(quick()).await;
    let id = api.upload(red_then_blue()).await;
    for (width, height, expected) in [(64, 200, (64, 200)), (101, 33, (100, 32)), (1, 1, (2, 2))] {
        let body = json!({ "input_file_id": id, "width": width, "height": height });
        let task = api.finished("process/video/resize_video", body).await;
        let video = api.download(&task["output_url"]).await;
        assert_eq!(frame(&video, 0.0).dimensions(), expected);
        assert_eq!(tenths(&video), 40);
        assert_eq!(
            task["outputs"][0]["note"].is_string(),
            (width, height) != expected,
            "{task}"
        );
    }
}

#[tokio::test]
async fn adding_audio_keeps_the_length_of_the_video() {
    let api = start(quick()).await;
    let silent = make(
        "-f lavfi -i color=green:s=64x64:r=10:d=3 -pix_fmt yuv420p",
        "mp4",
    );
    let video = api.upload(silent).await;
    let loud = api.upload(wav(&[12_000, -12_000].repeat(500))).await;
    let body = json!({ "video_file_id": video, "audio_file_id": loud });
    let result = api.result(ADD_AUDIO, body).await;
    assert_eq!(tenths(&result), 30);
    assert!(loudness(&result) > 1000.0);
    let replaced = json!({ "video_file_id": api.upload(red_then_blue()).await,
        "audio_file_id": api.upload(wav(&[0; 9000])).await });
    let result = api.result(ADD_AUDIO, replaced).await;
    assert_eq!(tenths(&result), 40);
    assert!(loudness(&result) < 10.0, "the tone is replaced by silence");
}

#[tokio::test]
async fn the_volume_of_every_common_format_changes() {
    let api = start(quick()).await;
    for (extension, codec) in [
        ("mp3", "libmp3lame"),
        ("m4a", "aac"),
        ("ogg", "libvorbis"),
        ("flac", "flac"),
    ] {
        let tone = make(&format!("-f lavfi -i sine=440:d=1 -c:a {codec}"), extension);
        let id = api.upload(tone.clone()).await;
        let body = json!({ "input_file_id": id, "volume": "-6dB" });
        let task = api
            .finished("process/audio/adjust_audio_volume", body)
            .await;
        let quieter = api.download(&task["output_url"]).await;
        let factor = loudness(&quieter) / loudness(&tone);
        assert!((factor - 0.501).abs() < 0.05, "{extension}: {factor}");
        assert_eq!(
            infer::get(&quieter).unwrap().extension(),
            infer::get(&tone).unwrap().extension()
        );
    }
}

#[tokio::test]
async fn subtitles_are_removed_from_their_region_only() {
    let api = start(quick()).await;
    let boxes =
        "drawbox=x=40:y=96:w=80:h=16:c=white:t=fill,drawbox=x=40:y=20:w=80:h=16:c=white:t=fill";
    let titled = make(
        &format!("-f lavfi -i color=black:s=160x120:r=10:d=1 -vf {boxes} -pix_fmt yuv420p"),
        "mp4",
    );
    let file_id = api.upload(titled).await;
    let region = json!({ "x": 30, "y": 90, "width": 500, "height": 28 });
    for body in [
        json!({ "file_id": file_id, "region": region }),
        json!({ "file_id": file_id }),
    ] {
        let cleared = frame(&api.result(SUBTITLES, body).await, 0.5);
        assert_eq!(cleared.dimensions(), (160, 120));
        assert!(is_about(&cleared, (80, 104), BLACK), "the subtitle is gone");
        assert!(
            is_about(&cleared, (80, 28), WHITE),
            "the rest of the frame stays"
        );
    }
    let outside =
        json!({ "file_id": file_id, "region": { "x": 160, "y": 0, "width": 9, "height": 9 } });
    let message = api.failure(SUBTITLES, outside).await;
    assert_eq!(message, MediaError::RegionOutside(160, 120).to_string());
}

/// Returns a circle on a square, which resembles nothing in the video.
fn logo() -> Vec<u8> {
    let shape = "geq=r='255*lt(hypot(X-16,Y-16),12)':g='60':b='200*gt(hypot(X-16,Y-16),6)'";
    make(
        &format!("-f lavfi -i color=white:s=32x32 -vf format=rgb24,{shape} -frames:v 1"),
        "png",
    )
}

/// Returns four seconds of gray with the logo at the upper left, and later at the lower right.
fn branded(logo: &[u8]) -> Vec<u8> {
    let gradient = "-f lavfi -i color=gray:s=320x240:r=10:d=4";
    let places =
        "[1][0]overlay=20:12:enable='lt(t,2)'[a];[a][0]overlay=270:190:enable='gte(t,2)'[v]";
    from(
        logo,
        &format!("{gradient} -filter_complex {places} -map [v] -c:v libx264 -pix_fmt yuv420p"),
        "mp4",
    )
}

#[tokio::test]
async fn a_logo_is_found_by_its_image_and_removed_at_every_position() {
    let api = start(quick()).await;
    let logo = logo();
    let gray = [128, 128, 128];
    let video = branded(&logo);
    assert!(
        !is_about(&frame(&video, 0.5), (36, 28), gray)
            && !is_about(&frame(&video, 3.5), (286, 206), gray)
    );
    let video = api.upload(video).await;
    let logo = api.upload(logo).await;
    let body = json!({ "input_video_file_id": video, "logo_file_id": [logo] });
    let task = api.finished(LOGO, body).await;
    let cleared = api.download(&task["output_url"]).await;
    assert_eq!(tenths(&cleared), 40);
    for at in [0.5, 1.5, 2.5, 3.5] {
        let shown = frame(&cleared, at);
        assert!(
            is_about(&shown, (36, 28), gray) && is_about(&shown, (286, 206), gray),
            "{at}: {task}"
        );
    }

    let other = api.upload(png(40, 40, [255, 255, 0])).await;
    let body = json!({ "input_video_file_id": video, "logo_file_id": other });
    let message = api.failure(LOGO, body).await;
    assert_eq!(message, MediaError::LogoNotFound.to_string());
    api.result(LOGO, json!({ "input_video_file_id": video }))
        .await;
}

#[tokio::test]
async fn odd_sides_and_other_containers_are_accepted() {
    let api = start(quick()).await;
    let odd = make(
        "-f lavfi -i color=red:s=161x121:r=10:d=2 -c:v libvpx",
        "webm",
    );
    let turned = make(
        "-f lavfi -i color=red:s=160x120:r=10:d=2 -pix_fmt yuv444p -c:v libx264",
        "mov",
    );
    let sound = api.upload(wav(&[900; 500])).await;
    for video in [odd, turned] {
        let id = api.upload(video).await;
        let segments = json!([{ "start_time": "00:00:00", "end_time": "00:00:01" }]);
        for (path, body, tenths_left) in [
            (
                SPLIT,
                json!({ "input_file_id": id, "segments": segments }),
                10,
            ),
            (
                ADD_AUDIO,
                json!({ "video_file_id": id, "audio_file_id": sound }),
                20,
            ),
            (SUBTITLES, json!({ "file_id": id }), 20),
            (
                OBJECT,
                json!({ "input_file_id": id, "prompt_text": "x" }),
                20,
            ),
        ] {
            let result = api.result(path, body).await;
            assert_eq!(tenths(&result), tenths_left, "{path}");
            let shown = frame(&result, 0.5);
            assert!(is_about(&shown, (80, 60), RED), "{path}");
            // The label is at the upper left.
            let is_marked = !is_about(&shown, (10, 14), RED);
            assert_eq!(is_marked, path == OBJECT, "{path}");
        }
    }
}

#[tokio::test]
async fn a_generated_video_has_the_requested_size_length_and_audio() {
    let api = start(quick()).await;
    let audio = api.upload(wav(&[9_000, -9_000].repeat(1000))).await;
    let avatar = json!({
        "avatar_asset_id": "avatar_public", "audio_file_id": audio,
        "aspect_ratio": "9:16", "clarity": "720P", "duration_seconds": 3,
    });
    let video = api.result("generate/video/audio_driven", avatar).await;
    assert_eq!(
        (frame(&video, 1.0).dimensions(), tenths(&video)),
        ((720, 1280), 30)
    );
    assert!(loudness(&video) > 1000.0, "the audio of the request");
    let is_open = |at| is_about(&frame(&video, at), (360, 668), [74, 26, 30]);
    assert!(is_open(0.5) && !is_open(2.6), "the mouth follows the audio");

    let portrait = api.upload(png(60, 40, [200, 30, 30])).await;
    let sound = api.upload(wav(&[900; 2500])).await;
    let talking = json!({
        "prompt_text": "hello",
        "prompt_image_file_id": portrait,
        "prompt_audio_file_id": sound,
    });
    let video = api
        .result("generate/video/image_audio_driven", talking)
        .await;
    assert_eq!(
        frame(&video, 1.0).dimensions(),
        (720, 480),
        "the aspect ratio of the image"
    );
    assert_eq!(tenths(&video), 30, "as long as the audio, in whole seconds");
    assert!(is_about(&frame(&video, 1.0), (360, 100), [200, 30, 30]));
}

#[tokio::test]
async fn references_of_every_format_are_measured() {
    let api = start(quick()).await;
    let long = api
        .upload(make("-f lavfi -i sine=440:d=10 -c:a libmp3lame", "mp3"))
        .await;
    let short = api
        .upload(make(
            "-f lavfi -i color=red:s=64x64:d=4 -c:v libvpx",
            "webm",
        ))
        .await;
    let clip = api.upload(mp4(6)).await;
    let code = async |videos: Value| {
        let body = json!({
            "prompt": "x", "model_id": "omni-reference-15s",
            "audio_file_ids": [long], "video_file_ids": videos,
        });
        api.code("generate/video/omni_reference_to_video", body)
            .await
    };
    assert_eq!(
        (code(json!([short])).await, code(json!([clip])).await),
        (0, 12),
        "14 s, then 16 s"
    );
    let broken = api
        .upload(b"\x1a\x45\xdf\xa3\x93\x42\x82\x88webm broken".to_vec())
        .await;
    assert_eq!(code(json!([broken])).await, 12);
}
