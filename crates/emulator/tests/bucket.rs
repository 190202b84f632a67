//! Tests of the bucket for results, with presigned URLs.

use std::time::Duration;

use crate::support::{Api, Sent, quick, start};
use jiff::Timestamp;
use mediagate_emulator::{Config, DEV_RESULTS_ACCESS_KEY_ID, DEV_RESULTS_BUCKET};
use reqwest::{
    Method, RequestBuilder, Response,
    header::{self, HeaderMap},
};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use serde_json::json;

const SECRET: &str = "the-secret-of-these-tests";
const KEY: &str = "results/0a1b/ä b-0";
const MINUTE: Duration = Duration::from_secs(60);

fn config() -> Config {
    Config {
        results_secret: Some(SECRET.parse().unwrap()),
        ..quick()
    }
}

/// Signs URLs as the gateway does, with any credentials.
struct Signer {
    bucket: Bucket,
    credentials: Credentials,
}

impl Signer {
    fn new(api: &Api, id: &str, secret: &str) -> Self {
        let endpoint = api.base_url.parse().unwrap();
        Signer {
            bucket: Bucket::new(endpoint, UrlStyle::Path, DEV_RESULTS_BUCKET, "auto").unwrap(),
            credentials: Credentials::new(id, secret),
        }
    }

    fn of(api: &Api) -> Self {
        Signer::new(api, DEV_RESULTS_ACCESS_KEY_ID, SECRET)
    }

    fn put(&self, key: &str) -> String {
        let put = self.bucket.put_object(Some(&self.credentials), key);
        put.sign(MINUTE).into()
    }

    fn get(&self, key: &str, parameters: &[(&'static str, &'static str)]) -> String {
        let mut get = self.bucket.get_object(Some(&self.credentials), key);
        for (name, value) in parameters {
            get.query_mut().insert(*name, *value);
        }
        get.sign(MINUTE).into()
    }

    fn head(&self, key: &str) -> String {
        let head = self.bucket.head_object(Some(&self.credentials), key);
        head.sign(MINUTE).into()
    }

    fn delete(&self, key: &str) -> String {
        let delete = self.bucket.delete_object(Some(&self.credentials), key);
        delete.sign(MINUTE).into()
    }
}

async fn store(api: &Api, signer: &Signer) -> Response {
    let put = api.client.put(signer.put(KEY)).body("0123456789");
    let put = put.header(header::CONTENT_TYPE, "text/plain");
    put.sent().await
}

async fn refused(request: RequestBuilder) -> (u16, String) {
    let response = request.sent().await;
    let status = response.status().as_u16();
    assert_eq!(text(response.headers(), "content-type"), "application/xml");
    let body = response.text().await.unwrap();
    let (_, rest) = body.split_once("<Code>").unwrap();
    (status, rest.split_once("</Code>").unwrap().0.to_owned())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn an_object_is_stored_read_and_removed() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    let stored = store(&api, &signer).await;
    assert_eq!(stored.status(), 200);
    let etag = text(stored.headers(), "etag");

    let read = api.client.get(signer.get(KEY, &[])).sent().await;
    assert_eq!(read.status(), 200);
    assert_eq!(text(read.headers(), "content-type"), "text/plain");
    assert_eq!(text(read.headers(), "etag"), etag);
    assert_eq!(read.text().await.unwrap(), "0123456789");
    let head = api.client.head(signer.head(KEY)).sent().await;
    assert_eq!(text(head.headers(), "content-length"), "10");
    assert_eq!(text(head.headers(), "etag"), etag);

    let again = api.client.put(signer.put(KEY)).body("other");
    assert_eq!(again.status().await, 200);
    let read = api.client.get(signer.get(KEY, &[])).sent().await;
    assert_ne!(text(read.headers(), "etag"), etag);
    assert_eq!(read.text().await.unwrap(), "other");

    for _ in 0..2 {
        let deleted = api.client.delete(signer.delete(KEY)).sent().await;
        assert_eq!(deleted.status(), 204);
    }
    let missing = refused(api.client.get(signer.get(KEY, &[]))).await;
    assert_eq!(missing, (404, "NoSuchKey".into()));
}

#[tokio::test]
async fn ranges_and_headers_are_as_requested() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    store(&api, &signer).await;
    let range = |range: &'static str| {
        let get = api.client.get(signer.get(KEY, &[]));
        get.header(header::RANGE, range)
    };
    for (bytes, content_range, expected) in [
        ("bytes=2-4", "bytes 2-4/10", "234"),
        ("bytes=7-", "bytes 7-9/10", "789"),
        ("bytes=-1", "bytes 9-9/10", "9"),
    ] {
        let part = range(bytes).sent().await;
        assert_eq!(part.status(), 206);
        assert_eq!(text(part.headers(), "content-range"), content_range);
        assert_eq!(part.text().await.unwrap(), expected);
    }
    let past_the_end = refused(range("bytes=10-")).await;
    assert_eq!(past_the_end, (416, "InvalidRange".into()));

    let parameters = [
        ("response-cache-control", "private, max-age=60"),
        (
            "response-content-disposition",
            "attachment; filename=\"a b+c.mp4\"",
        ),
        ("response-content-type", "video/mp4"),
    ];
    let get = api.client.get(signer.get(KEY, &parameters));
    let replaced = get.sent().await;
    for (parameter, value) in parameters {
        let name = parameter.trim_start_matches("response-");
        assert_eq!(text(replaced.headers(), name), value);
    }
}

#[tokio::test]
async fn only_the_signed_request_is_served_until_it_expires() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    store(&api, &signer).await;
    let client = &api.client;
    let get = || signer.get(KEY, &[("response-content-type", "text/html")]);
    let mismatch = (403, "SignatureDoesNotMatch".to_owned());
    let other_secret = Signer::new(&api, DEV_RESULTS_ACCESS_KEY_ID, "guess");
    for (what, request) in [
        ("another method", client.delete(get())),
        ("another key", client.get(get().replace("0a1b", "0a1c"))),
        ("another query", client.get(get().replace("html", "plain"))),
        (
            "a longer time",
            client.get(get().replace("Expires=60", "Expires=61")),
        ),
        ("another region", client.get(get().replace("auto", "none"))),
        (
            "another host",
            client.get(get()).header(header::HOST, "localhost"),
        ),
        ("another secret", client.get(other_secret.get(KEY, &[]))),
    ] {
        assert_eq!(refused(request).await, mismatch, "{what}");
    }
    let other_id = Signer::new(&api, "guess", SECRET);
    let unknown = refused(client.get(other_id.get(KEY, &[]))).await;
    assert_eq!(unknown, (403, "InvalidAccessKeyId".into()));
    let url = get();
    let (unsigned, _) = url.split_once('?').unwrap();
    let denied = (403, "AccessDenied".to_owned());
    assert_eq!(refused(client.get(unsigned)).await, denied);

    // Returns a GET that was signed this many seconds from now.
    let at = |seconds: i64, valid: u64| {
        let time = Timestamp::from_second(Timestamp::now().as_second() + seconds).unwrap();
        let action = signer.bucket.get_object(Some(&signer.credentials), KEY);
        client.get(action.sign_with_time(Duration::from_secs(valid), &time))
    };
    assert_eq!(refused(at(-10, 5)).await, denied, "expired");
    assert_eq!(refused(at(1000, 60)).await, denied, "not valid yet");
    let malformed = refused(at(0, 604_801)).await;
    assert_eq!(malformed, (400, "AuthorizationQueryParametersError".into()));
    assert_eq!(at(-10, 15).status().await, 200);
}

#[tokio::test]
async fn the_bucket_has_only_the_emulators_own_hosts() {
    let api = start(config()).await;
    let port = api.base_url.rsplit(':').next().unwrap();
    // A page's own host that resolves to this machine. The page knows no secret, but an app may
    // give it a signed URL.
    for (host, expected) in [
        (format!("127.0.0.1:{port}"), 404),
        (format!("localhost:{port}"), 404),
        (format!("evil.example:{port}"), 403),
        ("127.0.0.1.evil.example".to_owned(), 403),
    ] {
        let endpoint = format!("http://{host}").parse().unwrap();
        let bucket = Bucket::new(endpoint, UrlStyle::Path, DEV_RESULTS_BUCKET, "auto").unwrap();
        let credentials = Credentials::new(DEV_RESULTS_ACCESS_KEY_ID, SECRET);
        let url = bucket.get_object(Some(&credentials), KEY).sign(MINUTE);
        let path = url.as_str().split_once(&host).unwrap().1;
        let get = api.client.get(format!("http://127.0.0.1:{port}{path}"));
        let (status, code) = refused(get.header(header::HOST, &host)).await;
        assert_eq!(status, expected, "{host}");
        assert_eq!(code == "AccessDenied", expected == 403, "{host}");
    }
}

#[tokio::test]
async fn without_a_configured_secret_nobody_can_sign() {
    let api = start(quick()).await;
    for secret in ["emulator-results-secret", SECRET] {
        let signer = Signer::new(&api, DEV_RESULTS_ACCESS_KEY_ID, secret);
        let get = api.client.get(signer.get(KEY, &[]));
        assert_eq!(refused(get).await, (403, "SignatureDoesNotMatch".into()));
    }
}

#[tokio::test]
async fn signed_headers_have_to_be_sent_and_headers_of_amazon_have_to_be_signed() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    let url = || {
        let mut put = signer.bucket.put_object(Some(&signer.credentials), KEY);
        put.headers_mut().insert("content-type", "image/png");
        put.sign(MINUTE)
    };
    let put = |media_type: &str| {
        let put = api.client.put(url()).body("x");
        put.header(header::CONTENT_TYPE, media_type)
    };
    let mismatch = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(refused(put("image/gif")).await, mismatch);
    let without_type = api.client.put(url()).body("x");
    assert_eq!(refused(without_type).await, mismatch);
    let unsigned = put("image/png").header("x-amz-acl", "public-read");
    assert_eq!(refused(unsigned).await, (403, "AccessDenied".into()));
    let stored = put("image/png").sent().await;
    assert_eq!(stored.status(), 200);
}

const UPLOAD: &str = "uploads/0a1b";

#[tokio::test]
async fn an_upload_has_the_signed_type_and_length() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    let url = || {
        let mut put = signer.bucket.put_object(Some(&signer.credentials), UPLOAD);
        let headers = put.headers_mut();
        headers.insert("content-length", "10");
        headers.insert("content-type", "video/mp4");
        put.sign(MINUTE)
    };
    assert!(
        url()
            .as_str()
            .contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost"),
        "{}",
        url()
    );
    let preflight = api
        .client
        .request(Method::OPTIONS, url())
        .header(header::ORIGIN, "https://www.example.com")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "PUT")
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
    let preflight = preflight.sent().await;
    assert_eq!(preflight.status(), 200);
    let allowed = |part| text(preflight.headers(), &format!("access-control-allow-{part}"));
    assert!(allowed("methods").contains("PUT"), "{}", allowed("methods"));
    assert_eq!((allowed("origin"), allowed("headers")), ("*", "*"));

    let put = |media_type: &str, body: &'static str| {
        let put = api.client.put(url()).body(body);
        put.header(header::CONTENT_TYPE, media_type)
            .header(header::ORIGIN, "https://www.example.com")
    };
    let mismatch = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(refused(put("video/mp4", "short")).await, mismatch);
    assert_eq!(refused(put("text/html", "0123456789")).await, mismatch);
    let stored = put("video/mp4", "0123456789").sent().await;
    assert_eq!(stored.status(), 200);
    assert_eq!(text(stored.headers(), "access-control-allow-origin"), "*");

    let head = api.client.head(signer.head(UPLOAD)).sent().await;
    assert_eq!(text(head.headers(), "content-length"), "10");
    let missing = api.client.head(signer.head("uploads/none"));
    assert_eq!(missing.status().await, 404);
    let read = api.client.get(signer.get(UPLOAD, &[])).sent().await;
    assert_eq!(text(read.headers(), "content-type"), "video/mp4");
    assert_eq!(read.text().await.unwrap(), "0123456789");
}

#[tokio::test]
async fn other_operations_are_not_implemented() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    let not_implemented = (501, "NotImplemented".to_owned());
    let acl = api.client.get(signer.get(KEY, &[("acl", "")]));
    assert_eq!(refused(acl).await, not_implemented);
    let base = format!("{}/{DEV_RESULTS_BUCKET}", api.base_url);
    let cors = api.client.put(format!("{base}?cors"));
    assert_eq!(refused(cors).await, not_implemented);
    let put = api.client.put(signer.put(KEY)).body("x");
    let without_length = put.header(header::TRANSFER_ENCODING, "chunked");
    let missing = refused(without_length).await;
    assert_eq!(missing, (411, "MissingContentLength".into()));
}

#[tokio::test]
async fn pages_of_every_origin_may_read() {
    let api = start(config()).await;
    let signer = Signer::of(&api);
    store(&api, &signer).await;
    let preflight = api
        .client
        .request(Method::OPTIONS, signer.get(KEY, &[]))
        .header(header::ORIGIN, "null")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "GET")
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "range");
    let preflight = preflight.sent().await;
    assert_eq!(preflight.status(), 200);
    assert_eq!(
        text(preflight.headers(), "access-control-allow-headers"),
        "*"
    );
    let missing = signer.get("none", &[]);
    for (url, status) in [(signer.get(KEY, &[]), 200), (missing, 404)] {
        let get = api.client.get(url).header(header::ORIGIN, "null");
        let read = get.sent().await;
        assert_eq!(read.status(), status);
        let headers = read.headers();
        assert_eq!(text(headers, "access-control-allow-origin"), "*");
        let exposed = text(headers, "access-control-expose-headers");
        assert!(exposed.contains("etag") && exposed.contains("content-range"));
    }
}

#[tokio::test]
async fn faults_of_the_scene_apply() {
    let faults = json!([
        { "path": "results-bucket/*", "method": "PUT", "do": "reset late", "times": 1 },
        { "path": "results-bucket/results/*", "method": "GET", "do": "status=503", "times": 1 },
    ]);
    let api = start(Config {
        scene: json!({ "faults": faults, "status_200": true }),
        ..config()
    })
    .await;
    let signer = Signer::of(&api);
    let lost = api.client.put(signer.put(KEY)).body("x").send().await;
    assert!(lost.is_err());
    let get = || api.client.get(signer.get(KEY, &[]));
    assert_eq!(refused(get()).await, (503, "InternalError".into()));
    let stored = get().sent().await;
    assert_eq!(
        stored.text().await.unwrap(),
        "x",
        "it was stored all the same"
    );
}

#[tokio::test]
async fn objects_stay_after_a_reset_and_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let stored = || Config {
        data: Some(folder.path().to_owned()),
        ..config()
    };
    let api = start(stored()).await;
    store(&api, &Signer::of(&api)).await;
    api.admin(Method::POST, "reset", json!(null)).await;
    api.emulator.stop().await;

    let api = start(stored()).await;
    let get = api.client.get(Signer::of(&api).get(KEY, &[]));
    let read = get.sent().await;
    assert_eq!(text(read.headers(), "content-type"), "text/plain");
    assert_eq!(read.text().await.unwrap(), "0123456789");
}
