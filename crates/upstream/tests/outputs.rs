//! The search for outputs in a record.

use mediagate_upstream::{output_names, outputs_of};
use serde_json::{Value, json};

/// Returns the URL, the asset id and the kind of each output of a record, with `-` for none.
fn shown(record: &Value) -> Vec<String> {
    let outputs = outputs_of(record, &[]).into_iter();
    outputs
        .map(|output| {
            let [url, asset_id] =
                [output.url, output.asset_id].map(|text| text.unwrap_or("-".into()));
            format!("{url} {asset_id} {}", output.kind.unwrap_or("-"))
        })
        .collect()
}

#[test]
fn outputs_come_in_the_order_of_the_list() {
    let record = json!({
        "last_frame_url": "https://h/z.png",
        "video_url": "https://h/v.mp4",
        "imageUrl": "https://h/i.png",
        "outputs": ["https://h/2.mp4", "https://h/1.mp4"],
        "avatar_asset_id": "asked",
        "input": {"url": "https://h/in.png"},
        "thumbnail_url": "https://h/t.png",
        "links": ["https://h/link"],
        "final_url": "https://h/f.mp4",
        "result": {"asset_id": 77, "file": {"url": "https://h/b.png"}},
    });
    let expected = [
        "https://h/2.mp4 - video",
        "https://h/1.mp4 - video",
        "https://h/b.png 77 image",
        "https://h/v.mp4 - video",
        "https://h/i.png - image",
        "https://h/z.png - image",
    ];
    assert_eq!(shown(&record), expected);
}

#[test]
fn the_kind_of_an_output_is_found_in_its_url_then_beside_it_then_in_its_name() {
    let kind = |record: Value| outputs_of(&record, &[])[0].kind;
    for (kind_of, extensions) in [
        ("image", "png jpg jpeg webp gif avif PNG"),
        ("video", "mp4 webm mov m4v"),
        ("audio", "wav mp3 m4a aac ogg flac"),
        ("pdf", "pdf"),
    ] {
        let mut records = Vec::new();
        for extension in extensions.split(' ') {
            for end in ["", "?x=/c.txt#/d.txt"] {
                let url = format!("https://h/a.b.{extension}{end}");
                records.push(json!({"url": url, "type": "other"}));
            }
        }
        for name in "content_type mime_type media_type kind type".split(' ') {
            records.push(json!({"url": "https://h/a", name: format!("{kind_of}/x")}));
        }
        records.push(json!({format!("{kind_of}_url"): "https://h.mp4/a"}));
        records.push(json!({format!("{kind_of}s"): [{"url": "https://h.mp4/a"}]}));
        for record in records {
            assert_eq!(kind(record.clone()), Some(kind_of), "{record}");
        }
        let record = json!({"result": {"url": "https://h/a.png", "kind": kind_of}});
        assert_eq!(kind(record), Some("image"));
    }
    for url in ["https://h/a", "https://h/mp4", "https://h.mp4"] {
        assert_eq!(kind(json!({"outputs": [url]})), None, "{url}");
    }
}

#[test]
fn a_url_is_an_output_by_its_form_and_by_the_exact_name_of_its_member() {
    let count = |record: Value| outputs_of(&record, &[]).len();
    for name in output_names()
        .iter()
        .filter(|name| name.ends_with('s') && !name.contains("asset"))
    {
        assert_eq!(
            count(json!({name: ["https://h/a.png", "https://h/b.png"]})),
            2,
            "{name}"
        );
        for other in [
            format!("final_{name}"),
            format!("x{name}"),
            format!("{name}_x"),
        ] {
            assert_eq!(
                count(json!({other.clone(): ["https://h/a.png"]})),
                0,
                "{other}"
            );
        }
    }
}

#[test]
fn a_record_has_a_hundred_outputs_within_eight_levels_at_most() {
    let count = |record: Value| outputs_of(&record, &[]).len();
    for (number, expected) in [(99, 99), (100, 100), (101, 100)] {
        let urls: Vec<_> = (0..number)
            .map(|number| format!("https://h/{number}"))
            .collect();
        assert_eq!(count(json!({"outputs": urls})), expected);
    }
    let nested = |levels: usize| {
        (0..levels).fold(
            json!({"url": "https://h/a"}),
            |value, _| json!({"result": value}),
        )
    };
    assert_eq!([7, 8].map(|levels| count(nested(levels))), [1, 0]);
    let listed = |levels: usize| {
        let list = (0..levels).fold(json!("https://h/a"), |value, _| json!([value]));
        json!({ "outputs": list })
    };
    assert_eq!([7, 8].map(|levels| count(listed(levels))), [1, 0]);
}

#[test]
fn an_output_that_a_record_repeats_is_one_with_all_that_is_known_of_it() {
    let record = json!({
        "outputs": ["https://h/a", "https://h/b"],
        "result": [
            {"url": "https://h/a", "type": "video"},
            {"url": "https://h/b", "asset_id": "b"},
        ],
        "asset_id": "x", "asset": {"id": "x"},
    });
    let found = shown(&record);
    assert_eq!(found[..2], ["https://h/a x video", "https://h/b b -"]);
}

#[test]
fn produced_assets_are_outputs() {
    for row in r#"{"asset": {"id": "a", "category": "avatar"}} => a
{"asset_ids": ["a", 7, ""]} => 7 a
{"asset_id": "a", "output_asset": {"id": "a"}, "result": {"assets": [{"id": "b"}]}} => a b
{"result": {"avatar_asset_id": "a", "voice_asset_id": "b"}} => a b
{"avatar_asset_id": "asked", "voice_asset_id": "asked"} =>"#
        .lines()
    {
        let (record, ids) = row.split_once("=>").expect("a row");
        let record: Value = record.parse().expect("JSON");
        let outputs = outputs_of(&record, &[]).into_iter();
        let mut found: Vec<_> = outputs.filter_map(|output| output.asset_id).collect();
        found.sort();
        assert_eq!(found.join(" "), ids.trim(), "{row}");
    }
}
