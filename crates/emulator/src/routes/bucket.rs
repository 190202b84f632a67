use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State, rejection::PathRejection},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
        header::{self, CONTENT_LENGTH, CONTENT_TYPE, ETAG},
        uri::Authority,
    },
    middleware::{Next, from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::any,
};
use futures_util::StreamExt;
use jiff::Timestamp;
use tokio::{fs::File, io::AsyncWriteExt};
use tower_http::{
    cors::{Any, CorsLayer},
    services::ServeFile,
};

use super::{
    guard,
    host::{host, is_local},
};
use crate::{
    app::SharedApp,
    bucket::{BucketError, DEV_RESULTS_BUCKET, check_signature},
    http::{EnvelopeCode, header_text},
};

/// The largest object in bytes: 5 GiB, the limit of S3 for one PUT.
const MAX_BYTES: u64 = 5 << 30;

/// The parameters of a GET that replace a header of the response.
const OVERRIDES: [(&str, HeaderName); 6] = [
    ("response-cache-control", header::CACHE_CONTROL),
    ("response-content-disposition", header::CONTENT_DISPOSITION),
    ("response-content-encoding", header::CONTENT_ENCODING),
    ("response-content-language", header::CONTENT_LANGUAGE),
    ("response-content-type", CONTENT_TYPE),
    ("response-expires", header::EXPIRES),
];

/// Returns the routes of the bucket. A page of any origin may read and upload, as
/// `mediagate-gateway bucket-cors` configures it for a real bucket.
pub(super) fn bucket(app: &SharedApp) -> Router<SharedApp> {
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::PUT])
        .allow_headers(Any)
        .expose_headers([
            ETAG,
            CONTENT_LENGTH,
            header::CONTENT_RANGE,
            header::ACCEPT_RANGES,
        ]);
    // Asked whether it exists, without a signature, a bucket refuses.
    let not_implemented =
        any(async || BucketError::NOT_IMPLEMENTED).head(async || StatusCode::FORBIDDEN);
    Router::new()
        .route(&format!("/{DEV_RESULTS_BUCKET}/{{*key}}"), any(object))
        .route(&format!("/{DEV_RESULTS_BUCKET}"), not_implemented.clone())
        .route(&format!("/{DEV_RESULTS_BUCKET}/"), not_implemented)
        .layer(from_fn_with_state(app.clone(), guard::faults))
        .layer(map_response(fault_in_xml))
        .layer(from_fn_with_state(app.clone(), own_host))
        .layer(cors)
}

async fn own_host(
    State(app): State<SharedApp>,
    request: Request,
    next: Next,
) -> Result<Response, BucketError> {
    if host(&request).is_some_and(|host| is_local(host) || is_host_of(&app.base_url, host)) {
        Ok(next.run(request).await)
    } else {
        Err(BucketError::FOREIGN_HOST)
    }
}

/// Returns true if a URL has this host, whatever the port.
fn is_host_of(url: &str, host: &str) -> bool {
    match (url.parse::<Uri>(), host.parse::<Authority>()) {
        (Ok(url), Ok(named)) => url
            .host()
            .is_some_and(|host| host.eq_ignore_ascii_case(named.host())),
        _ => false,
    }
}

async fn fault_in_xml(response: Response) -> Response {
    if response.extensions().get::<EnvelopeCode>().is_none() {
        return response;
    }
    BucketError::internal(response.status()).into_response()
}

/// Serves every request for an object. Refuses as [`check_signature`] does, then with HTTP 501 for
/// another operation, then as the method does.
async fn object(
    State(app): State<SharedApp>,
    key: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, BucketError> {
    let query = check_signature(
        &app.results_secret,
        request.method(),
        request.uri(),
        request.headers(),
        Timestamp::now(),
    )?;
    let Path(key) = key.map_err(|_| BucketError::NO_SUCH_KEY)?;
    for (name, _) in &query {
        // Parameters such as `acl` or `uploadId` select an operation that this bucket lacks.
        if !is_known_parameter(name) {
            return Err(BucketError::NOT_IMPLEMENTED);
        }
    }
    match *request.method() {
        Method::GET | Method::HEAD => {
            let mut response = read(&app, &key, request).await?;
            override_headers(response.headers_mut(), &query);
            Ok(response)
        }
        Method::PUT => put(&app, key, request).await,
        Method::DELETE => {
            app.bucket.remove(&key)?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        _ => Err(BucketError::NOT_IMPLEMENTED),
    }
}

fn is_known_parameter(name: &str) -> bool {
    name.starts_with("X-Amz-")
        || name == "x-id"
        || OVERRIDES.iter().any(|(other, _)| *other == name)
}

/// Stores the body as the object, and responds with its `ETag`. Refuses with HTTP 411 without a
/// length, and 400 for more than [`MAX_BYTES`] or for a body that is cut off.
async fn put(app: &SharedApp, key: String, request: Request) -> Result<Response, BucketError> {
    let headers = request.headers();
    let length: u64 = header_text(headers, &CONTENT_LENGTH)
        .and_then(|length| length.parse().ok())
        .ok_or(BucketError::MISSING_CONTENT_LENGTH)?;
    if length > MAX_BYTES {
        return Err(BucketError::ENTITY_TOO_LARGE);
    }
    let content_type = header_text(headers, &CONTENT_TYPE).map(str::to_owned);
    let (file, path) = app.bucket.receive()?.into_parts();
    let mut file = File::from_std(file);
    let mut pieces = request.into_body().into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| BucketError::INCOMPLETE_BODY)?;
        file.write_all(&piece).await?;
    }
    file.flush().await?;
    app.bucket.put(key.clone(), content_type, path)?;
    // The file server computes the `ETag`, so a GET of this object has the same one.
    let mut head = Request::new(Body::empty());
    *head.method_mut() = Method::HEAD;
    let stored = read(app, &key, head).await?;
    let etag = stored.headers().get(ETAG).cloned();
    let mut response = StatusCode::OK.into_response();
    response.headers_mut().extend(etag.map(|etag| (ETAG, etag)));
    Ok(response)
}

/// Responds to a GET or HEAD, with its conditions and its range. Refuses with HTTP 404 for a key
/// that does not exist, and with 416 for a range past the end.
async fn read(app: &SharedApp, key: &str, request: Request) -> Result<Response, BucketError> {
    let (path, content_type) = app.bucket.find(key).ok_or(BucketError::NO_SUCH_KEY)?;
    // S3 serves the whole object to a request for several ranges.
    let mut file = ServeFile::new(path).ignore_multi_range_requests(true);
    let mut response = file.try_call(request).await?.map(Body::new);
    match response.status() {
        // Another request removed the object meanwhile.
        StatusCode::NOT_FOUND => return Err(BucketError::NO_SUCH_KEY),
        StatusCode::RANGE_NOT_SATISFIABLE => return Err(BucketError::INVALID_RANGE),
        _ => {}
    }
    // The file has no extension, so the file server cannot tell the type.
    if let Some(content_type) = content_type
        && let Ok(content_type) = HeaderValue::try_from(content_type)
    {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    Ok(response)
}

/// Sets the headers that the query replaces. A value that is invalid in a header is ignored.
fn override_headers(headers: &mut HeaderMap, query: &[(String, String)]) {
    for (parameter, header) in OVERRIDES {
        if let Some((_, value)) = query.iter().find(|(name, _)| name == parameter)
            && let Ok(value) = HeaderValue::try_from(value)
        {
            headers.insert(header, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_the_base_url_is_one_of_the_emulators() {
        let url = "http://emulator.example:8788/path";
        for (host, expected) in [
            ("emulator.example", true),
            ("Emulator.Example:1", true),
            ("a.emulator.example", false),
            ("emulator.example.evil.example", false),
            ("", false),
        ] {
            assert_eq!(is_host_of(url, host), expected, "{host}");
        }
        assert!(!is_host_of("not a URL", "not"));
    }
}
