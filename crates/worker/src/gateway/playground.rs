use mediagate_settings::{ResultsSettings, Settings, UploadMode};
use url::Url;
use wasm_bindgen::JsValue;
use web_sys::{Headers, Request, Response, ResponseInit};
use worker::Env;

/// The folder in which the build puts files whose names change with their content.
const HASHED: &str = "/assets/";

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Returns a file of the playground, or `None` if this Worker has no such file.
pub(super) async fn file(
    settings: &Settings,
    request: &Request,
    env: &Env,
) -> Result<Option<Response>, JsValue> {
    let Ok(assets) = env.assets("ASSETS") else {
        return Ok(None);
    };
    let is_hashed = Url::parse(&request.url()).is_ok_and(|url| url.path().starts_with(HASHED));
    let request = worker::Request::from(request.clone()?);
    let Ok(found) = assets.fetch_request(request).await else {
        return Ok(None);
    };
    let found: Response = found.into();
    let headers = Headers::new_with_headers(&found.headers())?;
    headers.set("content-security-policy", &policy(settings))?;
    headers.set("x-content-type-options", "nosniff")?;
    headers.set("referrer-policy", "no-referrer")?;
    headers.set("cross-origin-opener-policy", "same-origin")?;
    // A 304 renews the browser's copy, so it needs the header, too.
    if is_hashed && matches!(found.status(), 200 | 206 | 304) {
        headers.set("cache-control", IMMUTABLE)?;
    }
    let init = ResponseInit::new();
    init.set_status(found.status());
    init.set_headers(&headers);
    Response::new_with_opt_readable_stream_and_init(found.body().as_ref(), &init).map(Some)
}

/// Returns the content security policy: own scripts and styles, media from `MEDIA_HOSTS`, from
/// `OUTPUT_HOSTS` and from the bucket of results, and uploads to `UPLOAD_HOSTS`.
fn policy(settings: &Settings) -> String {
    let bucket = settings.results.as_ref().map(ResultsSettings::origin);
    let outputs = settings.output_hosts.0.iter().map(|host| source(host));
    let hosts = settings.media_hosts.iter().cloned();
    let media: Vec<_> = hosts.chain(outputs).chain(bucket).collect();
    let media = media.join(" ");
    let uploads: Vec<_> = match settings.upload_mode {
        // The bucket's origin is one of the media.
        UploadMode::Relay | UploadMode::Bucket => Vec::new(),
        UploadMode::Direct => {
            let hosts = settings.upload_hosts.0.iter();
            hosts.map(|host| source(host)).collect()
        }
    };
    let uploads = uploads.join(" ");
    let objects = if media.is_empty() { "'none'" } else { &media };
    [
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ",
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; manifest-src 'self'; ",
        "font-src 'self'; ",
        &format!("img-src 'self' blob: data: {media}; media-src 'self' blob: {media}; "),
        &format!("frame-src 'self' blob: {media}; object-src {objects}; "),
        &format!("connect-src 'self' {media} {uploads}"),
    ]
    .concat()
}

/// Returns a host as a source of the policy: with any port if it has none. Without a scheme, a
/// source is the page's own or https.
fn source(host: &str) -> String {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "*"));
    format!("{name}:{port}")
}
