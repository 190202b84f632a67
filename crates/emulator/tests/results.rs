//! Tests that decode results and compare them with the requests.

use crate::support::{pdf, png, quick, start, texts, wav};
use image::GenericImageView;
use mediagate_emulator::MediaError;
use serde_json::json;

#[tokio::test]
async fn pdf_documents_are_merged_in_order() {
    let api = start(quick()).await;
    let first = api.upload(pdf(&["one", "two"])).await;
    let second = api.upload(pdf(&["three"])).await;
    let body = json!({ "input_file_ids": [second, first, second] });
    let merged = api.result("process/asset/merge_pdf", body).await;
    assert_eq!(texts(&merged), ["three", "one", "two", "three"]);
}

#[tokio::test]
async fn a_pdf_document_is_split_by_ranges() {
    let api = start(quick()).await;
    let pages = pdf(&["one", "two", "three", "four", "five"]);
    let id = api.upload(pages).await;
    let path = "process/asset/split_pdf";
    let body = |range: &str| json!({ "input_file_id": id, "page_range": range });
    for (page_range, expected) in [
        ("1-3", vec!["one", "two", "three"]),
        ("1,3,5", vec!["one", "three", "five"]),
        ("1-2,5", vec!["one", "two", "five"]),
        ("4,4,1", vec!["four", "four", "one"]),
    ] {
        let part = api.result(path, body(page_range)).await;
        assert_eq!(texts(&part), expected, "{page_range}");
        let part = lopdf::Document::load_mem(&part).unwrap();
        let first = *part.get_pages().values().next().unwrap();
        assert!(
            part.get_dictionary(first).unwrap().has(b"MediaBox"),
            "the inherited size is in the result"
        );
    }
    let message = api.failure(path, body("2-6")).await;
    assert_eq!(message, MediaError::PagePastEnd(6, 5).to_string());
}

#[tokio::test]
async fn a_volume_change_clips_at_full_scale() {
    let api = start(quick()).await;
    let id = api.upload(wav(&[1000, -1000, 20000, -20000])).await;
    for (volume, expected) in [
        ("2", [2000, -2000, 32767, -32768]),
        ("0.5", [500, -500, 10000, -10000]),
        ("-20dB", [100, -100, 2000, -2000]),
        ("0", [0, 0, 0, 0]),
    ] {
        let body = json!({ "input_file_id": id, "volume": volume });
        let sound = api.result("process/audio/adjust_audio_volume", body).await;
        let samples = hound::WavReader::new(sound.as_slice()).unwrap();
        let samples: Vec<i16> = samples.into_samples().map(Result::unwrap).collect();
        assert_eq!(samples, expected, "{volume}");
    }
}

#[tokio::test]
async fn a_prompt_is_drawn_in_the_requested_size() {
    let api = start(quick()).await;
    const PATH: &str = "generate/image/text_to_image";
    let body = |prompt: &str, seed: i32| json!({ "prompt": prompt, "width": 123, "height": 77, "seed": seed });
    let draw = async |prompt: &str, seed: i32| api.result(PATH, body(prompt, seed)).await;
    let task = api.finished(PATH, body("a lighthouse", 7)).await;
    assert_eq!(task["outputs"][0]["note"], "drawn, no model ran: seed 7");
    let picture = api.download(&task["output_url"]).await;
    assert_eq!(
        image::load_from_memory(&picture).unwrap().dimensions(),
        (123, 77)
    );
    assert_eq!(
        draw("a lighthouse", 7).await,
        picture,
        "the same seed draws the same image"
    );
    assert_ne!(draw("a lighthouse", 8).await, picture);
    assert_ne!(draw("a windmill", 7).await, picture);
    assert!(!draw("灯台 \u{0} 🗼", -1).await.is_empty());
}

#[tokio::test]
async fn a_background_becomes_transparent() {
    let api = start(quick()).await;
    let id = api.upload(png(20, 20, [250, 250, 250])).await;
    let body = json!({ "file_id": id, "region": { "x": 0, "y": 0, "width": 5, "height": 5 } });
    let cut = image::load_from_memory(&api.result("process/image/background_removal", body).await)
        .unwrap();
    assert_eq!((cut.get_pixel(2, 2)[3], cut.get_pixel(10, 10)[3]), (0, 255));
}

#[tokio::test]
async fn heads_are_swapped() {
    let api = start(quick()).await;
    let source = api.upload(png(30, 30, [255, 0, 0])).await;
    let target = api.upload(png(100, 80, [0, 0, 255])).await;
    let body = json!({ "source_image_file_id": source, "target_head_image_file_id": target });
    let swapped =
        image::load_from_memory(&api.result("process/image/head_swap", body).await).unwrap();
    assert_eq!(swapped.dimensions(), (100, 80));
    assert_eq!(
        (swapped.get_pixel(50, 24)[0], swapped.get_pixel(50, 75)[2]),
        (255, 255)
    );
}
