//! Uploads, over real connections.

use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::gateway::{Fault, Gateway};
use mediagate::request::{ImageToVideo, OmniReferenceToVideo};
use mediagate::{ErrorKind, File};
use serde_json::json;

const CREATE: &str = "POST /api/app/v1/generate/video";
const SIZE: usize = 300_000;

fn bytes() -> Vec<u8> {
    (0..SIZE).map(|index| (index % 251) as u8).collect()
}

#[tokio::test]
async fn a_file_of_a_path_is_streamed_with_its_length() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let mut file = tempfile::Builder::new().suffix(".mp4").tempfile().unwrap();
    file.write_all(&bytes()).unwrap();
    let progress = Arc::new(Mutex::new(Vec::new()));
    let noticed = progress.clone();
    let upload = client.upload(File::open(file.path()).unwrap());
    let id = upload
        .progress(move |sent| noticed.lock().unwrap().push((sent.loaded, sent.total)))
        .await
        .unwrap();
    assert_eq!(id, "file_1");
    let announced = gateway.seen("POST /api/app/v1/upload_urls")[0].json();
    assert_eq!(
        (&announced["content_type"], &announced["size"]),
        (&json!("video/mp4"), &json!(SIZE))
    );
    let put = &gateway.seen("PUT /storage/1")[0];
    assert_eq!(put.header("content-length"), SIZE.to_string());
    assert_eq!(
        (put.header("content-type"), put.header("authorization")),
        ("video/mp4", "")
    );
    assert_eq!(put.header("transfer-encoding"), "");
    assert!(put.body == bytes());
    let progress = progress.lock().unwrap().clone();
    assert!(progress.is_sorted() && progress.len() > 3, "{progress:?}");
    assert_eq!(progress.last(), Some(&(SIZE as u64, SIZE as u64)));
}

#[tokio::test]
async fn files_of_a_request_are_uploaded_once() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let photo = File::from_bytes("photo.png", bytes());
    let other = File::from_bytes("other.png", vec![1]);
    let request = OmniReferenceToVideo::new("they meet").image_file_ids([
        photo.clone(),
        other,
        photo.clone(),
    ]);
    client.omni_reference_to_video(request).await.unwrap();
    client
        .image_to_video(ImageToVideo::new(photo, "slow push in"))
        .await
        .unwrap();
    assert_eq!(gateway.seen("PUT").len(), 2);
    let ids = |index: usize, name: &str| gateway.seen(CREATE)[index].json()[name].clone();
    let first = ids(0, "image_file_ids");
    assert_eq!(first[0], first[2]);
    assert_ne!(first[0], first[1]);
    assert_eq!(ids(1, "file_id"), first[0]);
}

#[tokio::test]
async fn a_broken_upload_is_sent_again() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail("PUT /storage", Fault::Refusal(503, None, json!("busy")));
    gateway.fail("PUT /storage", Fault::Refusal(403, None, json!("expired")));
    assert_eq!(
        client
            .upload(File::from_bytes("a.png", bytes()))
            .await
            .unwrap(),
        "file_2"
    );
    assert_eq!(
        (
            gateway.seen("PUT /storage/1").len(),
            gateway.seen("PUT /storage/2").len()
        ),
        (2, 1)
    );
    gateway.fail("PUT /storage", Fault::Refusal(507, None, json!("full")));
    let error = client
        .upload(File::from_bytes("a.png", bytes()))
        .max_retries(0)
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.report().status),
        ("upload_failed", Some(507))
    );
    assert!(
        !error.report().hint.clone().unwrap().contains("browser"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_upload_url_says_how_a_file_is_sent() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.target(
        json!({ "headers": { "X-Storage": "a", "Authorization": "b", "Content-Type": "image/x" } }),
    );
    client
        .upload(File::from_bytes("a.png", vec![7, 8]))
        .await
        .unwrap();
    let put = &gateway.seen("PUT /storage/1")[0];
    assert_eq!(
        (put.header("x-storage"), put.header("authorization")),
        ("a", "")
    );
    assert_eq!(
        (put.header("content-type"), &put.body[..]),
        ("image/x", &[7, 8][..])
    );
    gateway.target(json!({ "fields": { "policy": "p" } }));
    client
        .upload(File::from_bytes("b.png", b"inside".to_vec()))
        .await
        .unwrap();
    let post = &gateway.seen("POST /storage/2")[0];
    assert!(
        post.header("content-type")
            .starts_with("multipart/form-data; boundary=")
    );
    assert_eq!(post.header("content-length"), post.body.len().to_string());
    let body = String::from_utf8_lossy(&post.body).into_owned();
    let (policy, file) = (
        body.find("name=\"policy\"").unwrap(),
        body.find("name=\"file\"; filename=\"b.png\"").unwrap(),
    );
    assert!(
        policy < file && body.contains("Content-Type: image/png\r\n\r\ninside"),
        "{body}"
    );
}

#[tokio::test]
async fn dropping_a_create_aborts_its_uploads() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail("PUT /storage", Fault::Silence);
    let create = client.image_to_video(ImageToVideo::new(
        File::from_bytes("a.png", bytes()),
        "slow",
    ));
    gateway.dropped_at("PUT /storage", create).await;
    gateway.aborted(1).await;
    assert_eq!(gateway.tasks(), 0);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_fails() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let error = client
        .upload(File::from_bytes("a.png", Vec::new()))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error:?}");
    let folder = tempfile::tempdir().unwrap();
    assert!(File::open(folder.path()).is_err());
    let path = folder.path().join("a.png");
    std::fs::write(&path, b"bytes").unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let error = client.upload(file).max_retries(0).await.unwrap_err();
    assert_eq!(error.code(), "upload_failed");
    assert!(
        !error.report().hint.clone().unwrap().contains("page"),
        "{error:?}"
    );
}
