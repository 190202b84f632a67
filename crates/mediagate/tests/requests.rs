//! Requests without a gateway.

use mediagate::request::{
    Capability, ImageToVideo, Input, OmniReferenceToVideo, Region, Segment, SplitVideo,
    SubtitleRemoval, TextDriven, TextToVideo, VideoLogoRemoval, VideoSize,
};
use mediagate::{AssetInput, File, FileInput, HistoryEntry, Output, SavedTask, TaskSnapshot};
use serde_json::{json, to_value};

#[test]
fn requests_serialize_as_they_are_sent() {
    let segments = [Segment::new("00:00:00", "00:00:05")];
    let mut split = SplitVideo::new("file_1", segments).model_id("split-video-default");
    split.more.insert("later".into(), json!([1]));
    let expected = json!({
        "input_file_id": "file_1",
        "segments": [{ "start_time": "00:00:00", "end_time": "00:00:05" }],
        "model_id": "split-video-default",
        "later": [1],
    });
    assert_eq!(
        (SplitVideo::NAME, to_value(split).unwrap()),
        ("split_video", expected)
    );
    let video = TextToVideo::new("p").duration_seconds(5).seed(-1);
    assert_eq!(
        (TextToVideo::NAME, to_value(video).unwrap()),
        (
            "text_to_video",
            json!({ "prompt": "p", "duration_seconds": 5, "seed": -1 })
        )
    );
    let region = Region::new(1, 2, 3, 4);
    let removal = to_value(SubtitleRemoval::new("f").region(region)).unwrap();
    assert_eq!(
        removal["region"],
        json!({ "x": 1, "y": 2, "width": 3, "height": 4 })
    );
    let size = VideoSize::new(640, 360);
    let removal = to_value(
        VideoLogoRemoval::new("f")
            .video_size(size)
            .logo_file_id(["g"]),
    )
    .unwrap();
    assert_eq!(
        removal,
        json!({ "input_video_file_id": "f", "video_size": [640, 360], "logo_file_id": ["g"] })
    );
}

#[test]
fn a_file_that_is_not_uploaded_does_not_serialize() {
    let file = File::from_bytes("a.png", vec![1]);
    assert!(
        to_value(ImageToVideo::new(&file, "slow"))
            .unwrap_err()
            .to_string()
            .contains("not uploaded")
    );
    assert!(to_value(OmniReferenceToVideo::new("p").image_file_ids([file])).is_err());
}

#[test]
fn results_serialize_as_the_objects_that_clients_take() {
    let output = json!({ "task_id": "k", "output": 1, "url": "https://out.test/a", "asset_id": null, "kind": "image" });
    let task = json!({ "id": "k", "capability": "text_to_image" });
    let saved: SavedTask = serde_json::from_value(task.clone()).unwrap();
    let snapshot: TaskSnapshot = serde_json::from_value(task.clone()).unwrap();
    let entry: HistoryEntry = serde_json::from_value(task.clone()).unwrap();
    let read: Output = serde_json::from_value(output.clone()).unwrap();
    let files: [FileInput; 4] = [
        "f".into(),
        (&saved).into(),
        (&snapshot).into(),
        (&read).into(),
    ];
    let sent = to_value(OmniReferenceToVideo::new("p").image_file_ids(files)).unwrap();
    assert_eq!(
        sent,
        json!({ "prompt": "p", "image_file_ids": ["f", task, task, output] })
    );
    let received: OmniReferenceToVideo = serde_json::from_value(sent.clone()).unwrap();
    assert_eq!(to_value(received).unwrap(), sent);
    let driven = to_value(TextDriven::new(entry, String::from("voice_1"), "hello")).unwrap();
    assert_eq!(
        driven,
        json!({ "avatar_asset_id": task, "voice_asset_id": "voice_1", "text": "hello" })
    );
    assert_eq!(
        to_value(ImageToVideo::new(read, "slow")).unwrap()["file_id"],
        output
    );
    let voices: [AssetInput; 3] = [
        "v".into(),
        (&String::from("v")).into(),
        AssetInput::Id("v".into()),
    ];
    assert!(
        voices
            .iter()
            .all(|voice| *voice == AssetInput::Id("v".into()))
    );
    assert_eq!(
        to_value(Input::new().asset("voice_asset_id", snapshot)).unwrap()["voice_asset_id"],
        task
    );
}

#[test]
fn members_have_the_types_of_the_document() {
    let part = Region {
        x: Some(-1),
        ..Region::default()
    };
    let removal = SubtitleRemoval {
        region: Some(part),
        ..SubtitleRemoval::new("f")
    };
    assert_eq!(
        to_value(removal).unwrap(),
        json!({ "file_id": "f", "region": { "x": -1 } })
    );
    let negative: ImageToVideo =
        serde_json::from_value(json!({ "file_id": "f", "prompt": "p", "duration_seconds": -1 }))
            .unwrap();
    assert_eq!(negative.duration_seconds, Some(-1));
    let large = json!({ "file_id": "f", "prompt": "p", "duration_seconds": 3_000_000_000_u32 });
    assert!(serde_json::from_value::<ImageToVideo>(large).is_err());
    assert!(serde_json::from_value::<ImageToVideo>(json!(["no object"])).is_err());
    for size in [json!([640, 360]), json!({ "width": 640, "height": 360 })] {
        let request =
            json!({ "input_video_file_id": "f", "logo_file_id": "g", "video_size": size });
        let read: VideoLogoRemoval = serde_json::from_value(request).unwrap();
        let sent = to_value(read).unwrap();
        assert_eq!(
            (&sent["logo_file_id"], &sent["video_size"]),
            (&json!(["g"]), &size)
        );
    }
}

#[test]
fn debug_shows_no_prompt() {
    let shown = format!("{:?}", ImageToVideo::new("file_1", "my own words"));
    assert_eq!(shown, r#"ImageToVideo({"file_id", "prompt"})"#);
}
