//! The bucket that keeps results, and the URLs of its objects.

use std::time::Duration;

use jiff::Timestamp;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use url::Url;

use super::Hosts;
use super::parse::{Read, SettingsReader, required, wrong};
use super::url::{has_no_credentials, has_no_query, is_safe};

/// The default for the maximum size of one subject's results: 10 GiB.
const DEFAULT_BYTES: u64 = 10 << 30;
/// The default for the maximum size of all anonymous callers' results: 1 GiB.
const DEFAULT_ANONYMOUS_BYTES: u64 = 1 << 30;
/// The largest value of both settings: 1 PiB.
const MAX_BYTES: u64 = 1 << 50;

pub(crate) const RESULTS: &str = "results/";
const SIGNATURE: &str = "X-Amz-Signature";

/// The lifetime of the URL of a request that stores or deletes an object.
const REQUEST_LASTS: Duration = Duration::from_secs(15 * 60);

/// A bucket with S3's protocol, and the limits of its content.
#[derive(Clone, Debug)]
pub struct ResultsSettings {
    bucket: Bucket,
    /// Print only the id of the key.
    credentials: Credentials,
    /// The lifetime of a result, in days.
    pub days: u32,
    /// The maximum size of one subject's results, in bytes; `None` is no limit.
    pub bytes: Option<u64>,
    /// The maximum size of the results of all anonymous callers together, in bytes; `None` is no
    /// limit.
    pub anonymous_bytes: Option<u64>,
}

impl ResultsSettings {
    /// Reads the settings. Returns `None` if there is no bucket.
    pub(super) fn read(read: &SettingsReader<'_>) -> Read<Option<Self>> {
        // All settings are read first, so that an error names a wrong one although it is not used.
        let url = read.text("RESULTS_BUCKET_URL");
        let region = read.text("RESULTS_REGION");
        let access_key_id = read.text("RESULTS_ACCESS_KEY_ID");
        let secret_access_key = read.text("RESULTS_SECRET_ACCESS_KEY");
        let days = read.number("RESULTS_DAYS", 30, 1..=3650)?;
        let limit = |setting, default| {
            let bytes = read.number(setting, default, 0..=MAX_BYTES)?;
            Ok(Some(bytes).filter(|bytes| *bytes > 0))
        };
        let bytes = limit("RESULTS_BYTES", DEFAULT_BYTES)?;
        let anonymous_bytes = limit("ANONYMOUS_RESULTS_BYTES", DEFAULT_ANONYMOUS_BYTES)?;
        let Some(url) = url else {
            return Ok(None);
        };
        // Cloudflare R2 has only the region `auto`.
        let Some(bucket) = bucket(&url, region.unwrap_or_else(|| "auto".to_owned())) else {
            return wrong(
                "RESULTS_BUCKET_URL",
                "is no https URL of a bucket, such as https://s3.example.com/my-bucket or \
                https://my-bucket.s3.example.com",
            );
        };
        let missing = "is missing: RESULTS_BUCKET_URL needs it";
        let access_key_id = required("RESULTS_ACCESS_KEY_ID", access_key_id, missing)?;
        let secret = required("RESULTS_SECRET_ACCESS_KEY", secret_access_key, missing)?;
        Ok(Some(ResultsSettings {
            bucket,
            credentials: Credentials::new(access_key_id, secret),
            days,
            bytes,
            anonymous_bytes,
        }))
    }

    pub(crate) fn lasts_ms(&self) -> i64 {
        i64::from(self.days) * 24 * 60 * 60 * 1000
    }

    /// Returns true if a URL has the bucket's origin. The gateway must have another origin, because
    /// a result that is a page could otherwise act as the gateway's callers.
    pub(crate) fn is_origin_of(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| url.origin() == self.bucket.base_url().origin())
    }

    /// Returns true if a URL is of a result in the bucket, and signed.
    pub(crate) fn is_signed(&self, url: &str) -> bool {
        let results = [self.bucket.base_url().path(), RESULTS].concat();
        self.is_origin_of(url)
            && Url::parse(url).is_ok_and(|url| {
                let mut names = url.query_pairs();
                url.path().starts_with(&results) && names.any(|(name, _)| name == SIGNATURE)
            })
    }

    pub(crate) fn origin(&self) -> String {
        self.bucket.base_url().origin().ascii_serialization()
    }

    pub(crate) fn hosts(&self) -> Hosts {
        let url = self.bucket.base_url();
        let host = url.host_str();
        let port = url.port_or_known_default();
        let entry = host.zip(port).map(|(host, port)| format!("{host}:{port}"));
        Hosts(entry.into_iter().collect())
    }

    /// Returns the URL for the `PUT` of an object, valid for some minutes.
    pub(crate) fn upload_url(&self, key: &str, now_ms: i64) -> Url {
        let action = self.bucket.put_object(Some(&self.credentials), key);
        sign(action, REQUEST_LASTS, now_ms)
    }

    /// Returns the URL for the `DELETE` of an object, valid for some minutes.
    pub(crate) fn deletion_url(&self, key: &str, now_ms: i64) -> Url {
        let action = self.bucket.delete_object(Some(&self.credentials), key);
        sign(action, REQUEST_LASTS, now_ms)
    }

    /// Returns the URL for the `GET` of an object, valid for `lasts`. `headers` are `Content-Type`,
    /// `Content-Disposition` and `Cache-Control` of the response.
    pub(crate) fn download_url(
        &self,
        key: &str,
        headers: [&str; 3],
        lasts: Duration,
        now_ms: i64,
    ) -> Url {
        let mut action = self.bucket.get_object(Some(&self.credentials), key);
        let [content_type, disposition, cache_control] = headers;
        let query = action.query_mut();
        query.insert("response-content-type", content_type);
        query.insert("response-content-disposition", disposition);
        query.insert("response-cache-control", cache_control);
        sign(action, lasts, now_ms)
    }
}

fn sign<'a>(action: impl S3Action<'a>, lasts: Duration, now_ms: i64) -> Url {
    // Only a time outside the years -9999 to 9999 has no timestamp, and no clock shows one.
    let now = Timestamp::from_millisecond(now_ms).unwrap_or_default();
    action.sign_with_time(lasts, &now)
}

/// Returns the bucket at a URL. The bucket's name is the last segment of the path, or else the
/// first label of the host.
fn bucket(text: &str, region: String) -> Option<Bucket> {
    let mut endpoint = Url::parse(text).ok()?;
    if !is_safe(&endpoint) || !has_no_credentials(&endpoint) || !has_no_query(&endpoint) {
        return None;
    }
    let path = endpoint.path().trim_matches('/').to_owned();
    let (style, name) = if path.is_empty() {
        let host = endpoint.host_str()?.to_owned();
        let (name, parent) = host.split_once('.')?;
        endpoint.set_host(Some(parent)).ok()?;
        (UrlStyle::VirtualHost, name.to_owned())
    } else {
        let (prefix, name) = path.rsplit_once('/').unwrap_or(("", &path));
        endpoint.set_path(prefix);
        (UrlStyle::Path, name.to_owned())
    };
    Bucket::new(endpoint, style, name, region).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn at(url: &str) -> Option<ResultsSettings> {
        let changes = [
            ("RESULTS_BUCKET_URL", url),
            ("RESULTS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
            (
                "RESULTS_SECRET_ACCESS_KEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            ("RESULTS_REGION", "us-east-1"),
        ];
        Settings::for_tests(&changes).results
    }

    #[test]
    fn a_bucket_is_named_by_its_path_or_its_host() {
        for (text, expected) in [
            ("https://s3.example.com/mine", "https://s3.example.com/mine"),
            (
                "https://s3.example.com:9000/mine/",
                "https://s3.example.com:9000/mine",
            ),
            ("https://example.com/s3/mine", "https://example.com/s3/mine"),
            ("https://mine.s3.example.com", "https://mine.s3.example.com"),
            ("http://127.0.0.1:9000/mine", "http://127.0.0.1:9000/mine"),
        ] {
            let url = at(text).expect("a bucket").upload_url("a/b-0", 0);
            let expected = format!("{expected}/a/b-0?");
            assert!(url.as_str().starts_with(&expected), "{url}");
        }
    }

    #[test]
    fn a_url_is_signed_as_the_protocol_says() {
        let settings = at("https://examplebucket.s3.amazonaws.com").expect("a bucket");
        // The published example of a presigned URL, on 24 May 2013.
        let credentials = Some(&settings.credentials);
        let action = settings.bucket.get_object(credentials, "test.txt");
        let url = sign(action, Duration::from_secs(86_400), 1_369_353_600_000);
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        assert!(url.as_str().ends_with(signature), "{url}");
        assert!(!format!("{settings:?}").contains("wJalrXUt"));
    }
}
