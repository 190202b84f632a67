//! A client that speaks a dialect by hand: it uploads, creates and polls as the dialect requires.

use std::collections::BTreeMap;

use mediagate_emulator::dialect::{Dialect, HeadersForm, Pointer, PointerBuf, Transfer};
use mediagate_emulator::{Config, Results};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{Api, Sent, png, quick, start};

pub async fn speaking(dialect: Dialect) -> Api {
    start(Config {
        dialect,
        results: Results::Placeholder,
        ..quick()
    })
    .await
}

pub fn named(name: &str) -> Dialect {
    name.parse().unwrap()
}

/// Returns an object with this value at a pointer without numbers.
pub fn at(pointer: &Pointer, value: Value) -> Value {
    let tokens: Vec<_> = pointer.as_str().split('/').skip(1).collect();
    tokens
        .into_iter()
        .rev()
        .fold(value, |value, token| json!({ token: value }))
}

pub fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            more.into_iter()
                .for_each(|(name, value)| merge(into.entry(name).or_insert(Value::Null), value));
        }
        (into, more) => *into = more,
    }
}

pub fn get<'a>(body: &'a Value, pointer: &Pointer) -> &'a Value {
    body.pointer(pointer.as_str())
        .unwrap_or_else(|| panic!("no {pointer} in {body}"))
}

/// The response to a request for an upload URL.
#[derive(Clone)]
pub struct Issued {
    pub url: String,
    pub file_id: String,
    pub headers: BTreeMap<String, String>,
    pub fields: BTreeMap<String, String>,
}

pub async fn issue(api: &Api, dialect: &Dialect, size: usize) -> Issued {
    let request = &dialect.upload.request;
    let mut body = at(&request.file_name, json!("a.png"));
    for (place, value) in [
        (&request.content_type, json!("image/png")),
        (&request.size, json!(size)),
    ] {
        if let Some(place) = place {
            merge(&mut body, at(place, value));
        }
    }
    let (status, body) = api.post("upload_urls", body).await;
    assert_eq!(status, 200, "{body}");
    let response = &dialect.upload.response;
    let text = |place: &Pointer| get(&body, place).as_str().unwrap().to_owned();
    let named = |place: &Option<PointerBuf>| match place {
        Some(place) => get(&body, place).clone(),
        None => json!({}),
    };
    let headers = match (response.headers_as, named(&response.headers)) {
        (HeadersForm::List, Value::Array(list)) => list
            .iter()
            .map(|header| (header["name"].as_str().unwrap(), header["value"].clone()))
            .collect(),
        (_, object) => object,
    };
    if let Some(place) = &response.method {
        let is_form = dialect.upload.send == Transfer::Form;
        assert_eq!(text(place), if is_form { "POST" } else { "PUT" });
    }
    let has_code = body.get("code").or(body.get("Code")).is_some();
    assert_eq!(has_code, dialect.envelope, "{body}");
    let pairs = |object: Value| serde_json::from_value(object).unwrap();
    Issued {
        url: text(&response.url),
        file_id: text(&response.file_id),
        headers: pairs(headers),
        fields: pairs(named(&response.fields)),
    }
}

/// Adds a form to a request: these fields, then a file.
pub fn multipart(
    request: RequestBuilder,
    fields: &BTreeMap<String, String>,
    file: &[u8],
) -> RequestBuilder {
    let mut body = Vec::new();
    let part = "--limit\r\ncontent-disposition: form-data; name";
    for (name, value) in fields {
        body.extend(format!("{part}=\"{name}\"\r\n\r\n{value}\r\n").bytes());
    }
    body.extend(format!("{part}=\"file\"; filename=\"a.png\"\r\n\r\n").bytes());
    body.extend(file);
    body.extend(b"\r\n--limit--\r\n");
    request
        .header("content-type", "multipart/form-data; boundary=limit")
        .body(body)
}

/// Sends bytes to an upload URL as the dialect requires.
pub async fn send(api: &Api, dialect: &Dialect, issued: &Issued, bytes: &[u8]) -> (u16, Value) {
    let request = match dialect.upload.send {
        Transfer::Form => multipart(api.client.post(&issued.url), &issued.fields, bytes),
        Transfer::Put | Transfer::SignedPut => {
            let request = api.client.put(&issued.url).body(bytes.to_vec());
            let headers = issued.headers.iter();
            headers.fold(request, |request, (name, value)| {
                request.header(name, value)
            })
        }
    };
    match dialect.upload.requires_key {
        true => request.bearer_auth(&api.key).read().await,
        false => request.read().await,
    }
}

pub async fn upload(api: &Api, dialect: &Dialect) -> String {
    let bytes = png(4, 4, [1, 2, 3]);
    let issued = issue(api, dialect, bytes.len()).await;
    let (status, body) = send(api, dialect, &issued, &bytes).await;
    assert_eq!(status, 200, "{body}");
    if let Some(path) = &dialect.upload.confirm {
        let (status, body) = confirm(api, path, &issued.file_id).await;
        assert_eq!(status, 200, "{body}");
    }
    issued.file_id
}

/// Sends the request that confirms a file.
pub async fn confirm(api: &Api, path: &str, file_id: &str) -> (u16, Value) {
    let url = format!("{}{path}", api.base_url).replace("{file_id}", file_id);
    let request = api.client.post(url).bearer_auth(&api.key).json(&json!({}));
    request.read().await
}

/// Creates a task, and returns its id as in a path.
pub async fn create(api: &Api, dialect: &Dialect, path: &str, body: Value) -> String {
    let (status, body) = api.post(path, body).await;
    assert_eq!(status, 200, "{body}");
    let record = get(&body, &dialect.task.created);
    let state = get(record, &dialect.task.state);
    let goes_on = if dialect.task.done_flag {
        state == false
    } else {
        [&dialect.states.queued, &dialect.states.running]
            .into_iter()
            .any(|word| state == word.as_str())
    };
    assert!(goes_on, "{body}");
    match get(record, &dialect.task.id) {
        Value::String(id) => id.clone(),
        id => id.to_string(),
    }
}

/// Polls a task until it is in a state, and returns the whole response.
pub async fn poll(
    api: &Api,
    dialect: &Dialect,
    template: &str,
    id: &str,
    end: &str,
) -> (u16, Value) {
    let path = template.replace("{task_id}", id);
    let url = format!("{}{path}", api.base_url);
    for _ in 0..400 {
        let (status, body) = api.client.get(&url).bearer_auth(&api.key).read().await;
        let record = get(&body, &dialect.task.read);
        let state = get(record, &dialect.task.state);
        if state == end || state == true {
            return (status, body);
        }
        assert!(
            record.pointer(dialect.task.output.as_str()).is_none(),
            "an output before the end: {body}"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the task never ended");
}
