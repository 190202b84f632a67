//! Uploads of files to the storage, and what happens when one fails.

use crate::simulated::script::{
    Page, Reply, data, issues, lost, reply, signal, silence, text, timeout, with_signal,
};
use crate::simulated::sim::string;
use crate::simulated::value::{SimValue, hold};
use mediagate_client::Id;
use serde_json::json;

const NONE: SimValue = SimValue::Undefined;
const POST: &str = "POST https://gateway.test/api/app/v1/upload_urls";
const PUT: &str = "PUT https://storage.test/";

/// A response with an upload URL of this path.
fn granted(path: &str) -> Reply {
    data(
        json!({ "file_id": format!("f-{path}"), "upload_url": format!("https://storage.test/{path}") }),
    )
}

fn stored() -> Reply {
    text(200)
}

fn blob() -> SimValue {
    SimValue::file("", "", 1.0)
}

fn image(name: &str) -> SimValue {
    SimValue::file(name, "image/png", 5.0)
}

fn page_of(replies: impl IntoIterator<Item = Reply>) -> (Page, Id) {
    let mut page = Page::new(replies);
    let client = page.client(SimValue::text("t"));
    (page, client)
}

/// Uploads a file in a page with these responses.
fn upload(replies: impl IntoIterator<Item = Reply>, file: &SimValue) -> (Page, Id) {
    let (mut page, client) = page_of(replies);
    let promise = page.upload(client, file, &NONE);
    page.sim.run();
    page.sim.assert_rest();
    assert_eq!(page.left(), 0);
    (page, promise)
}

#[test]
fn a_file_is_sent_to_the_storage_once_and_without_the_token() {
    let (mut page, client) = page_of([granted("1"), stored()]);
    let file = image("a.png");
    let first = page.upload(client, &file, &NONE);
    page.sim.run();
    let again = page.upload(client, &file, &NONE);
    assert_eq!(
        [first, again].map(|it| page.sim.value(it).json()),
        [json!("f-1"), json!("f-1")]
    );
    assert_eq!(page.lines(), [POST.to_owned(), [PUT, "1"].concat()]);
    let [post, put] = &page.requests()[..] else {
        panic!("two requests")
    };
    assert_eq!(
        post.body,
        json!({ "file_name": "a.png", "content_type": "image/png", "size": 5 })
    );
    assert_eq!((post.token.as_str(), put.token.as_str()), ("t", ""));
    assert_eq!(
        (put.file.as_ref(), put.header("authorization")),
        (Some(&file), "")
    );
    // A gateway has its own ids.
    page.then([granted("2"), stored()]);
    let other = page.client(SimValue::text("u"));
    let promise = page.upload(other, &file, &NONE);
    page.sim.run();
    assert_eq!(page.sim.value(promise).json(), json!("f-2"));
}

#[test]
fn the_token_is_sent_to_the_gateways_own_relay_and_to_no_other_url() {
    let urls = [
        ("https://gateway.test/api/app/v1/uploads/1", "t"),
        ("https://gateway.test/api/app/v1/uploads", ""),
        ("https://gateway.test/api/app/v1/models", ""),
        ("https://gateway.test.evil.test/api/app/v1/uploads/1", ""),
        ("https://gateway.test@evil.test/api/app/v1/uploads/1", ""),
        ("http://gateway.test/api/app/v1/uploads/1", ""),
        (
            "https://storage.test/https://gateway.test/api/app/v1/uploads/1",
            "",
        ),
    ];
    for (url, token) in urls {
        let (page, _) = upload(
            [data(json!({ "file_id": "f", "upload_url": url })), stored()],
            &blob(),
        );
        assert_eq!(
            (
                page.requests()[1].url.as_str(),
                page.requests()[1].token.as_str()
            ),
            (url, token)
        );
    }
}

#[test]
fn a_relay_that_rejects_the_token_gets_a_new_one() {
    let relay =
        data(json!({ "file_id": "f", "upload_url": "https://gateway.test/api/app/v1/uploads/1" }));
    let mut page = Page::new([
        relay,
        reply(401, json!({ "code": 13, "message": "" })),
        stored(),
    ]);
    let client = page.client(SimValue::function("t"));
    let promise = page.upload(client, &blob(), &NONE);
    page.sim.run();
    let tokens: Vec<_> = page.requests().into_iter().map(|it| it.token).collect();
    assert_eq!(
        (page.sim.value(promise).json(), tokens),
        (json!("f"), vec!["t1".into(), "t1".into(), "t2".to_owned()])
    );
}

#[test]
fn a_stale_upload_url_is_renewed_once() {
    for status in [400, 401, 403, 410] {
        let (page, promise) = upload(
            [granted("1"), text(status), granted("2"), stored()],
            &blob(),
        );
        assert_eq!(page.sim.value(promise).json(), json!("f-2"));
        assert_eq!(
            page.lines(),
            [
                POST.to_owned(),
                [PUT, "1"].concat(),
                POST.to_owned(),
                [PUT, "2"].concat()
            ]
        );
    }
    let (page, promise) = upload(
        [reply(
            403,
            json!({ "code": 13, "message": "", "data": { "reason": "scope" } }),
        )],
        &blob(),
    );
    assert_eq!(page.code(promise), ("forbidden", 403));
    let (page, promise) = upload([granted("1"), text(403), granted("2"), text(403)], &blob());
    assert_eq!(page.code(promise), ("upload_failed", 403));
    let (page, promise) = upload([granted("1"), text(404)], &blob());
    assert_eq!(page.code(promise), ("upload_failed", 404));
}

#[test]
fn a_failed_put_is_retried_to_the_same_url() {
    let (page, promise) = upload([granted("1"), lost(), text(503), stored()], &blob());
    assert_eq!(page.sim.value(promise).json(), json!("f-1"));
    assert_eq!(
        page.lines()[1..],
        [
            [PUT, "1"].concat(),
            [PUT, "1"].concat(),
            [PUT, "1"].concat()
        ]
    );
    assert_eq!(page.delays().len(), 2);
    let (page, promise) = upload(
        [granted("1"), lost(), lost(), lost(), lost(), lost()],
        &blob(),
    );
    assert_eq!(
        (page.code(promise), page.sim.error(promise).retryable),
        (("upload_failed", 0), true)
    );
}

#[test]
fn a_response_without_an_upload_url_is_unreadable() {
    for body in [
        json!({}),
        json!({ "file_id": "f" }),
        json!({ "upload_url": "https://s.test/" }),
        json!([]),
    ] {
        let (page, promise) = upload([data(body.clone())], &blob());
        let error = page.sim.error(promise);
        assert_eq!(
            (error.code, string(&error, "reason").as_str()),
            ("unreadable", "no_upload_url"),
            "{body}"
        );
    }
}

#[test]
fn a_file_without_a_name_is_named_after_its_type() {
    let cases = [
        ("", "", "file.bin", "application/octet-stream"),
        (" ", "image/svg+xml", "file.svg", "image/svg+xml"),
        ("", "video/mp4;codecs=x", "file.mp4", "video/mp4;codecs=x"),
        ("", "é", "file.bin", "application/octet-stream"),
        ("a.b", "", "a.b", "application/octet-stream"),
    ];
    for (name, media_type, file_name, content_type) in cases {
        let (page, _) = upload(
            [granted("1"), stored()],
            &SimValue::file(name, media_type, 3.0),
        );
        let body = json!({ "file_name": file_name, "content_type": content_type, "size": 3 });
        assert_eq!(page.requests()[0].body, body);
    }
}

#[test]
fn progress_is_reported_at_the_end_to_each_subscriber() {
    let (mut page, client) = page_of([granted("1"), stored()]);
    let file = image("a.png");
    let options = |name: &str| SimValue::object(&[("onProgress", SimValue::function(name))]);
    page.upload(client, &file, &options("first"));
    page.upload(client, &file, &options("second"));
    page.upload(client, &file, &NONE);
    page.sim.run();
    page.upload(client, &file, &options("late"));
    let notified = page.sim.world.progress.borrow().clone();
    assert_eq!(
        notified,
        [
            ("first".to_owned(), 5.0),
            ("second".into(), 5.0),
            ("late".into(), 5.0)
        ]
    );
    assert!(page.requests()[1].has_progress && page.left() == 0);
}

#[test]
fn an_upload_is_joined_and_ends_with_the_last_one_that_waits() {
    let (mut page, client) = page_of([granted("1"), silence()]);
    let file = image("a.png");
    let (one, other) = (signal(), signal());
    let first = page.upload(client, &file, &with_signal(&one));
    let second = page.upload(client, &file, &with_signal(&other));
    page.sim.run_for(100.0);
    page.sim.abort(&one, None);
    assert_eq!(
        (page.code(first).0, page.is_pending(second), page.aborted()),
        ("aborted", true, 0)
    );
    page.sim.abort(&other, None);
    assert_eq!(
        (page.code(second).0, page.aborted(), page.requests().len()),
        ("aborted", 1, 2)
    );
    page.sim.assert_rest();
    // It was not uploaded: the next one begins anew.
    page.then([granted("2"), stored()]);
    let third = page.upload(client, &file, &NONE);
    page.sim.run();
    assert_eq!(page.sim.value(third).json(), json!("f-2"));
}

#[test]
fn an_upload_goes_on_where_its_first_subscriber_leaves() {
    let (mut page, client) = page_of([granted("1").after(10.0), stored()]);
    let (file, abort) = (image("a.png"), signal());
    let subscribed = with_signal(&abort).with("onProgress", SimValue::function("first"));
    let first = page.upload(client, &file, &subscribed);
    let second = page.upload(client, &file, &NONE);
    page.sim.run_for(5.0);
    page.sim.abort(&abort, None);
    page.sim.run();
    assert_eq!(
        (page.code(first).0, page.sim.value(second).json()),
        ("aborted", json!("f-1"))
    );
    assert!(page.sim.world.progress.borrow().is_empty());
    page.sim.assert_rest();
}

#[test]
fn four_files_are_uploaded_at_once_and_the_others_in_turn() {
    let (mut page, client) = page_of((0..4).map(|_| silence()));
    let files: Vec<_> = (0..7).map(|it| image(&it.to_string())).collect();
    let input =
        || SimValue::from(json!({ "prompt": "p" })).with("image_file_ids", SimValue::list(&files));
    let name = "omni_reference_to_video";
    let abort = signal();
    page.estimate(client, name, input(), &with_signal(&abort));
    page.sim.run_for(100.0);
    assert_eq!(page.requests().len(), 4);
    page.sim.abort(&abort, None);
    assert_eq!(
        (page.aborted(), page.requests().len()),
        (4, 4),
        "those that waited are not sent"
    );
    page.sim.assert_rest();
    // All are sent when each gets its turn. The same response serves the storage, whose body is not read.
    page.then((0..15).map(|it| granted(&it.to_string()).after(10.0)));
    let estimate = page.estimate(client, name, input(), &NONE);
    page.sim.run();
    assert!(!page.is_pending(estimate));
    let lines = page.lines();
    assert_eq!(lines.iter().filter(|it| it.starts_with(PUT)).count(), 7);
    let names: Vec<_> = page.requests()[4..]
        .iter()
        .filter_map(|it| it.body["file_name"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6"]);
}

#[test]
fn an_aborted_upload_gives_its_turn_to_the_next() {
    let (mut page, client) = page_of((0..6).map(|_| silence()));
    for it in 0..5 {
        page.upload(client, &image(&it.to_string()), &timeout(100 + it));
    }
    assert_eq!(page.requests().len(), 4);
    page.sim.run_for(100.0);
    assert_eq!(page.requests().len(), 5);
    page.sim.run();
    page.sim.assert_rest();
}

#[test]
fn the_files_of_an_input_are_replaced_by_their_ids() {
    let (one, other) = (image("1"), image("2"));
    let created = data(json!({ "task": { "id": "k" } }));
    let (mut page, client) = page_of([
        granted("1"),
        granted("2"),
        stored(),
        stored().after(5.0),
        created,
    ]);
    let list = SimValue::list(&[one.clone(), SimValue::text("known"), other, one.clone()]);
    let input = SimValue::from(json!({ "prompt": "p" })).with("image_file_ids", list);
    let create = page.create(client, "omni_reference_to_video", input);
    page.sim.run();
    page.sim.handle(create);
    let body = json!({ "prompt": "p", "image_file_ids": ["f-1", "known", "f-2", "f-1"] });
    assert_eq!(
        (&page.requests()[4].body, page.requests().len()),
        (&body, 5)
    );
    // One that is known is sent at once.
    page.then([data(json!({ "task": { "id": "l" } }))]);
    page.create(
        client,
        "background_removal",
        SimValue::object(&[("file_id", one)]),
    );
    page.sim.run();
    assert_eq!(page.requests()[5].body, json!({ "file_id": "f-1" }));
}

#[test]
fn a_single_file_is_wrapped_in_a_list_where_the_field_is_sent_as_one() {
    for (logo, replies) in [
        (SimValue::text("f-1"), vec![]),
        (image("1"), vec![granted("1"), stored()]),
    ] {
        let (mut page, client) = page_of(replies);
        page.then([data(json!({ "task": { "id": "k" } }))]);
        let input =
            SimValue::from(json!({ "input_video_file_id": "v" })).with("logo_file_id", logo);
        page.create(client, "video_logo_removal", input);
        page.sim.run();
        let body = json!({ "input_video_file_id": "v", "logo_file_id": ["f-1"] });
        assert_eq!(page.requests().last().map(|it| &it.body), Some(&body));
    }
}

#[test]
fn an_upload_that_fails_fails_the_create_and_ends_its_other_uploads() {
    let (mut page, client) = page_of([
        reply(422, json!({ "code": 12, "message": "x" })).after(5.0),
        silence(),
    ]);
    let input = SimValue::object(&[(
        "input_file_ids",
        SimValue::list(&[SimValue::file("1", "", 1.0), SimValue::file("2", "", 1.0)]),
    )]);
    let create = page.create(client, "merge_pdf", input);
    page.sim.run();
    let error = page.sim.error(create);
    assert_eq!(
        (
            error.code,
            string(&error, "outcome").as_str(),
            page.aborted()
        ),
        ("invalid_input", "not_sent", 1)
    );
    page.sim.assert_rest();
}

#[test]
fn a_file_of_another_kind_is_an_issue_of_its_field_and_not_sent() {
    let (mut page, client) = page_of([]);
    let files = [
        SimValue::text("f"),
        image("1"),
        SimValue::file("2", "", 0.0),
    ];
    let input = SimValue::object(&[("input_file_ids", SimValue::list(&files))]);
    let create = page.create(client, "merge_pdf", input);
    let found = issues(&page.sim.error(create));
    let issue = |path: &str, reason: &str| (path.to_owned(), reason.to_owned());
    assert_eq!(
        found,
        [
            issue("input_file_ids[1]", "wrong_type"),
            issue("input_file_ids[2]", "empty")
        ]
    );
    assert!(page.lines().is_empty());
}

#[test]
fn an_unspecific_media_type_passes() {
    let takes = |name: &str, field: &str, media_type: &str| {
        let capability = mediagate_core::find(name).expect("a capability");
        let input = SimValue::object(&[(field, SimValue::file("a", media_type, 1.0))]);
        !mediagate_core::validate(capability, hold(input))
            .iter()
            .any(|it| it.path == field)
    };
    for media_type in ["", "application/octet-stream", "image/heic"] {
        assert!(
            takes("background_removal", "file_id", media_type),
            "{media_type}"
        );
    }
    for media_type in ["", "audio/x-m4a", "video/webm", "application/ogg"] {
        assert!(
            takes("adjust_audio_volume", "input_file_id", media_type),
            "{media_type}"
        );
    }
    assert!(
        takes("split_video", "input_file_id", "video/mp4")
            && takes("split_pdf", "input_file_id", "application/pdf")
    );
    for (name, field, media_type) in [
        ("background_removal", "file_id", "video/mp4"),
        ("background_removal", "file_id", "application/pdf"),
        ("split_video", "input_file_id", "image/gif"),
        ("split_video", "input_file_id", "audio/mpeg"),
        ("adjust_audio_volume", "input_file_id", "text/plain"),
        ("split_pdf", "input_file_id", "text/html"),
    ] {
        assert!(!takes(name, field, media_type), "{name} took {media_type}");
    }
}
