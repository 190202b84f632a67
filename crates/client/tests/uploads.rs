//! Uploads: their requests, sharing, turns and progress; files in inputs.

use std::sync::{Arc, Mutex};

use mediagate::value::Value;
use mediagate_client::{Block, FileProgress, Hint, Kind, Limits, Listeners, Progress};
use serde_json::json;

use crate::script::*;
use crate::world::pause;

const URLS: &str = "POST upload_urls";
const STORAGE: &str = "https://storage.test/1";

fn target(url: &str, id: &str) -> Answer {
    data(json!({ "upload_url": url, "file_id": id }))
}

fn stored() -> Answer {
    text(200)
}

fn put() -> String {
    format!("PUT {STORAGE}")
}

#[tokio::test(start_paused = true)]
async fn a_file_is_sent_to_the_storage_once_and_without_the_token() {
    let page = Page::new();
    page.on(URLS, [target(STORAGE, "f-1")])
        .on(&put(), [stored()]);
    let client = page.client();
    let photo = file("a.png", "image/png");
    for _ in 0..2 {
        let id = client.upload(photo.clone(), None, limits()).await;
        assert_eq!(id.ok().unwrap(), "f-1");
    }
    let sent = page.sent();
    let info = json!({ "file_name": "a.png", "content_type": "image/png", "size": 9 });
    assert_eq!((sent[0].body.clone(), sent.len()), (info, 2));
    assert_eq!(
        (sent[1].file_name(), &sent[1].token),
        (Some("a.png"), &None)
    );
    page.on(URLS, [target(STORAGE, "f-2")])
        .on(&put(), [stored()]);
    let other = page.client().upload(photo, None, limits()).await;
    assert_eq!(other.ok().unwrap(), "f-2");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_token_is_sent_to_the_gateways_own_relay_and_to_no_other_url() {
    const WITHOUT_PREFIX: &str = "https://www.test/api/app/v1/uploads/1";
    for (url, path, sent_to, token) in [
        (
            WITHOUT_PREFIX,
            Some("uploads/1"),
            "PUT uploads/1",
            Some("t"),
        ),
        (STORAGE, Some("models"), &put(), None),
        (STORAGE, Some("/uploads/1"), &put(), None),
        (STORAGE, None, &put(), None),
        (
            "https://gateway.test/api/app/v1/uploads/1",
            None,
            "PUT uploads/1",
            None,
        ),
    ] {
        let page = Page::new();
        let mut target = json!({ "upload_url": url, "file_id": "f-1" });
        if let Some(path) = path {
            target["upload_path"] = json!(path);
        }
        page.on(URLS, [data(target)]).on(sent_to, [stored()]);
        let client = page.client();
        let upload = client.upload(file("a.png", "image/png"), None, limits());
        upload.await.ok().unwrap();
        assert_eq!(page.sent()[1].token.as_deref(), token, "{path:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_put_is_retried_or_gets_a_new_url_once() {
    for (puts, urls, error) in [
        (vec![lost(), text(503), stored()], 1, None),
        (vec![text(403), stored()], 2, None),
        // The response to the first PUT is lost, and its URL is used up.
        (vec![lost(), text(409), stored()], 2, None),
        (vec![lost(), text(412), stored()], 2, None),
        (vec![text(410), text(403)], 2, Some(Some(403))),
        (vec![text(409), text(409)], 2, Some(Some(409))),
        (vec![unreadable()], 1, Some(None)),
        (vec![blocked()], 1, Some(None)),
        (vec![text(404)], 1, Some(Some(404))),
        (vec![lost(); 5], 1, Some(None)),
    ] {
        let page = Page::new();
        let count = puts.len();
        page.always(URLS, target(STORAGE, "f-1")).on(&put(), puts);
        let client = page.client();
        let result = client
            .upload(file("a.png", "image/png"), None, limits())
            .await;
        let sent = page.lines();
        let number = |line: &str| sent.iter().filter(|sent| *sent == line).count();
        assert_eq!((number(URLS), number(&put())), (urls, count));
        let failed = result.err().map(|error| {
            assert_eq!(error.kind, Kind::UploadFailed);
            error.status
        });
        assert_eq!(failed, error);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_is_cut_off_twice_is_too_large_if_the_server_responds() {
    for (block, size, sends) in [
        (Some(Block::LargeBody), 2_000_000, 2),
        (Some(Block::LargeBody), 9_000, 5),
        (None, 2_000_000, 5),
    ] {
        let page = Page::new();
        page.always(URLS, target(STORAGE, "f-1"))
            .on(&put(), vec![lost(); sends]);
        *page.block.lock().unwrap() = block;
        let client = page.client();
        let photo = mediagate::File::from_bytes("a.png", vec![0; size]);
        let photo = mediagate::value::Value::File(photo);
        let error = client.upload(photo, None, limits()).await.err().unwrap();
        assert_eq!(error.kind, Kind::UploadFailed);
        assert_eq!(error.is_retryable, sends == 5);
        assert_eq!(
            error.hints == [Hint::RaiseBodyLimit],
            sends == 2,
            "{:?}",
            error.hints
        );
        assert_eq!(page.sent().len(), sends + 1);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_too_large_is_refused_once() {
    const CREATE: &str = "POST generate/image/text_to_image";
    let page = Page::new();
    page.on(URLS, [target(STORAGE, "f-1")])
        .on(&put(), [text(413)])
        .on(CREATE, [text(413)]);
    let client = page.client();
    let upload = client.upload(file("a.png", "image/png"), None, limits());
    let prompt = input(json!({ "prompt": "p" }), &[]);
    let create = client.create(capability("text_to_image"), prompt, "k".into(), limits());
    for (error, expected) in [
        (upload.await.err().unwrap(), "file_too_large"),
        (create.await.err().unwrap(), "body_too_large"),
    ] {
        let reason = error.reason.as_ref().map(serde_json::Value::from);
        assert_eq!(
            (error.status, reason, &*error.hints),
            (
                Some(413),
                Some(json!(expected)),
                &[Hint::RaiseBodyLimit][..]
            )
        );
        assert!(error.message.contains("too large"), "{}", error.message);
    }
    page.assert_rest().await;
}

/// The names, the bytes that were sent, and the sizes.
type FilesSent = Vec<(Option<String>, u64, u64)>;

#[tokio::test(start_paused = true)]
async fn a_create_reports_the_progress_of_each_of_its_files() {
    let page = Page::new();
    page.on(URLS, [target(STORAGE, "f-1"), target(STORAGE, "f-2")])
        .on(&put(), [stored(), stored()])
        .on(
            "POST process/asset/merge_pdf",
            [data(json!({ "task": { "id": "k", "state": "RUNNING" } }))],
        );
    let client = page.client();
    let known = file("a.pdf", "application/pdf");
    client
        .upload(known.clone(), None, limits())
        .await
        .ok()
        .unwrap();
    let received: Arc<Mutex<Vec<FilesSent>>> = Arc::default();
    let into = received.clone();
    let listening = Limits {
        listeners: Listeners {
            on_progress: Some(Arc::new(move |files: Vec<FileProgress<Value>>| {
                let name = |file: &Value| match file {
                    Value::File(file) => Some(file.name().to_owned()),
                    _ => None,
                };
                let files = files
                    .iter()
                    .map(|file| (name(&file.file), file.sent, file.size));
                into.lock().unwrap().push(files.collect());
            })),
            on_state: None,
        },
        ..limits()
    };
    let other = file("b.pdf", "application/pdf");
    let both = input(json!({ "input_file_ids": ["#0", "#1"] }), &[known, other]);
    let create = client.create(capability("merge_pdf"), both, "k".into(), listening);
    create.await.ok().unwrap();
    let received = received.lock().unwrap().clone();
    let files = |other_sent| {
        let of = |name: &str, sent| (Some(name.into()), sent, 9);
        vec![of("a.pdf", 9), of("b.pdf", other_sent)]
    };
    assert_eq!(received.first(), Some(&files(0)));
    assert_eq!(received.last(), Some(&files(9)));
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_blocked_upload_names_the_storage_and_no_secret() {
    for path in ["/bucket/1?secret", "?secret", ""] {
        let page = Page::new();
        let url = format!("https://storage.test:8443{path}");
        page.on(URLS, [target(&url, "f-1")])
            .on(&format!("PUT {url}"), [blocked()]);
        let client = page.client();
        let upload = client.upload(file("a.png", "image/png"), None, limits());
        let error = upload.await.err().unwrap();
        assert_eq!(
            error.message,
            "the page's Content-Security-Policy blocks storage.test:8443"
        );
        assert_eq!(error.hints, [Hint::AllowStorage]);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_without_an_upload_url_is_unreadable() {
    for odd in [
        json!({}),
        json!({ "file_id": "f" }),
        json!({ "upload_url": "u" }),
        json!([]),
    ] {
        let page = Page::new();
        page.on(URLS, [data(odd)]);
        let client = page.client();
        let error = client
            .upload(file("a.png", "image/png"), None, limits())
            .await;
        let error = error.err().unwrap();
        let reason = error.reason.as_ref().map(serde_json::Value::from);
        assert_eq!(
            (error.kind, reason),
            (Kind::Unreadable, Some(json!("no_upload_url")))
        );
    }
}

/// A listener of progress, and what it has received.
fn listener() -> (Progress, Arc<Mutex<Vec<u64>>>) {
    let received = Arc::new(Mutex::new(Vec::new()));
    let into = received.clone();
    (
        Arc::new(move |sent| into.lock().unwrap().push(sent)),
        received,
    )
}

#[tokio::test(start_paused = true)]
async fn an_upload_is_joined_and_ends_with_the_last_one_that_waits() {
    let page = Page::new();
    page.always(URLS, target(STORAGE, "f-1"));
    page.on(&put(), [never(), stored().after(500)]);
    let client = page.client();
    let photo = file("a.png", "image/png");
    let upload = |milliseconds, progress| {
        let client = client.clone();
        let photo = photo.clone();
        async move { client.upload(photo, progress, timeout(milliseconds)).await }
    };
    let (first, second) = futures_util::future::join(upload(100, None), upload(200, None)).await;
    assert_eq!(
        (failure(first).0, failure(second).0),
        ("timeout", "timeout")
    );
    assert_eq!(page.sent().len(), 2);
    page.assert_rest().await;
    // The first subscriber leaves, and gets no progress after that.
    let (one, left) = listener();
    let (other, stayed) = listener();
    let (first, second) =
        futures_util::future::join(upload(100, Some(one)), upload(10_000, Some(other))).await;
    assert_eq!(
        (failure(first).0, second.ok().unwrap()),
        ("timeout", "f-1".into())
    );
    assert_eq!(*left.lock().unwrap(), Vec::<u64>::new());
    assert_eq!(*stayed.lock().unwrap(), [9]);
    // The client has the id by now.
    let (late, told) = listener();
    upload(100, Some(late)).await.ok().unwrap();
    assert_eq!((*told.lock().unwrap()).as_slice(), [9]);
    assert_eq!(page.sent().len(), 4);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn four_files_are_uploaded_at_once_and_the_others_in_turn() {
    let page = Page::new();
    page.always(URLS, target(STORAGE, "f"));
    page.always(&put(), stored().after(1_000));
    let client = page.client();
    let uploads = (0..6)
        .map(|number| client.upload(file(&format!("{number}.png"), "image/png"), None, limits()));
    let all = futures_util::future::join_all(uploads).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(page.elapsed(), 2_000);
    let puts: Vec<_> = page
        .sent()
        .into_iter()
        .filter(|sent| sent.method == "PUT")
        .collect();
    let late: Vec<_> = puts.iter().filter(|sent| sent.at == 1_000).collect();
    let late: Vec<_> = late.iter().filter_map(|sent| sent.file_name()).collect();
    assert_eq!((puts.len(), late), (6, vec!["4.png", "5.png"]));
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn an_upload_has_time_while_it_goes_on() {
    // Without a report, and after the last byte: five minutes, and the time of 10 MB at 50 kB/s.
    const STORED: u64 = 300_000 + 200_000;
    for (reports, ends_at) in [
        (vec![], STORED),
        (vec![(1_000, 0)], 1_000 + STORED),
        (vec![(1_000, 5)], 41_000),
        (vec![(30_000, 5), (60_000, 9_999_999)], 100_000),
        (vec![(1_000, 5), (9_000, 10_000_000)], 9_000 + STORED),
    ] {
        let page = Page::new();
        page.always(URLS, target(STORAGE, "f"))
            .always(&put(), never().progress(reports.clone()));
        let big = mediagate::File::from_bytes("big.png", vec![0; 10_000_000]);
        let big = mediagate::value::Value::File(big);
        let error = page
            .client()
            .upload(big, None, retries(0))
            .await
            .err()
            .unwrap();
        assert_eq!(error.kind, Kind::UploadFailed);
        assert_eq!(page.elapsed(), ends_at, "{reports:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_that_cannot_be_read_is_not_sent_again() {
    let page = Page::new();
    page.on(URLS, [target(STORAGE, "f")])
        .on(&put(), [unreadable()]);
    let client = page.client();
    let upload = client.upload(file("a.png", "image/png"), None, limits());
    let error = upload.await.err().unwrap();
    assert!(error.message.contains("can't be read"), "{}", error.message);
    assert_eq!(error.hints, [mediagate_client::Hint::ChooseAgain]);
    assert!(!error.is_retryable);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_files_of_an_input_are_replaced_by_their_ids() {
    const MERGE: &str = "POST process/asset/merge_pdf";
    let page = Page::new();
    // The first upload is the slower one.
    page.on(
        URLS,
        [
            target(STORAGE, "f-1").after(100),
            target("https://storage.test/2", "f-2"),
        ],
    );
    page.on(&put(), [stored()])
        .on("PUT https://storage.test/2", [stored()]);
    page.on(MERGE, [state("QUEUED")]);
    let files = [
        file("a.pdf", "application/pdf"),
        file("b.pdf", "application/pdf"),
    ];
    let all = input(
        json!({ "input_file_ids": ["#0", "known", "#1", "#0"] }),
        &files,
    );
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits());
    create.await.ok().unwrap();
    let body = page.sent().pop().unwrap().body;
    assert_eq!(
        body,
        json!({ "input_file_ids": ["f-1", "known", "f-2", "f-1"] })
    );
    // A single file becomes a list if the field takes lists.
    const LOGO: &str = "POST process/video/video_logo_removal";
    page.always(LOGO, state("QUEUED"));
    page.on(URLS, [target(STORAGE, "f-3")])
        .on(&put(), [stored()]);
    for (logo, id) in [("#0", "f-3"), ("known", "known")] {
        let one = json!({ "input_video_file_id": "v", "logo_file_id": logo });
        let one = input(one, &[file("logo.png", "image/png")]);
        let create = client.create(capability("video_logo_removal"), one, "k".into(), limits());
        create.await.ok().unwrap();
        let body = page.sent().pop().unwrap().body;
        assert_eq!(
            body,
            json!({ "input_video_file_id": "v", "logo_file_id": [id] })
        );
    }
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_fails_fails_the_create_and_ends_its_other_uploads() {
    let page = Page::new();
    page.on(URLS, [never(), refusal(422, 12, json!({})).after(50)]);
    let files = [
        file("a.pdf", "application/pdf"),
        file("b.pdf", "application/pdf"),
    ];
    let all = input(json!({ "input_file_ids": ["#0", "#1"] }), &files);
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits());
    assert_eq!(failure(create.await), ("invalid_input", Some("not_sent")));
    page.assert_rest().await;
    // Dropping a create also ends its uploads.
    page.on(URLS, [never()]);
    let one = input(json!({ "input_file_ids": ["#0", "x"] }), &files);
    let call = page.start(async move {
        let create = client.create(capability("merge_pdf"), one, "k".into(), limits());
        create.await.is_ok()
    });
    pause(10).await;
    assert_eq!(page.open(), 1);
    call.abort();
    page.assert_rest().await;
}
