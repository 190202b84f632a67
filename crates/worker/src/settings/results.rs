//! The bucket that keeps results, and the URLs of its objects.

use std::time::Duration;

use jiff::Timestamp;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use url::Url;

use super::parse::{SettingsReader, wrong};
use super::url::is_safe;
use super::{Hosts, SettingsError};
use crate::crypto::Secret;

/// The default for the maximum size of one subject's results: 10 GiB.
const DEFAULT_BYTES: u64 = 10 << 30;
/// The default for the maximum size of all anonymous callers' results: 1 GiB.
const DEFAULT_ANONYMOUS_BYTES: u64 = 1 << 30;
/// The largest value of both settings: 1 PiB.
const MAX_BYTES: u64 = 1 << 50;

/// The beginning of the keys of results.
pub(crate) const RESULTS: &str = "results/";
/// The parameter of a URL that has its signature.
const SIGNATURE: &str = "X-Amz-Signature";

/// The lifetime of the URL of a request that stores or deletes an object.
const REQUEST_LASTS: Duration = Duration::from_secs(15 * 60);

/// A bucket with S3's protocol, and the limits of its content.
#[derive(Clone, Debug)]
pub struct ResultsSettings {
    bucket: Bucket,
    access_key_id: String,
    secret_access_key: Secret,
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
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(super) fn read(read: &SettingsReader<'_>) -> Result<Option<Self>, SettingsError> {
        // All settings are read first, so that an error names a wrong one although it is not used.
        let url = read.text("RESULTS_BUCKET_URL");
        let region = read.text("RESULTS_REGION");
        let access_key_id = read.text("RESULTS_ACCESS_KEY_ID");
        let secret_access_key = read.text("RESULTS_SECRET_ACCESS_KEY");
        let days = read.number("RESULTS_DAYS", 30, 1, 3650)? as u32;
        let bytes = read.number("RESULTS_BYTES", DEFAULT_BYTES, 0, MAX_BYTES)?;
        let anonymous_bytes = read.number(
            "ANONYMOUS_RESULTS_BYTES",
            DEFAULT_ANONYMOUS_BYTES,
            0,
            MAX_BYTES,
        )?;
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
        let Some(access_key_id) = access_key_id else {
            return wrong("RESULTS_ACCESS_KEY_ID", missing);
        };
        let Some(secret_access_key) = secret_access_key else {
            return wrong("RESULTS_SECRET_ACCESS_KEY", missing);
        };
        Ok(Some(ResultsSettings {
            bucket,
            access_key_id,
            secret_access_key: Secret::new(secret_access_key),
            days,
            bytes: Some(bytes).filter(|bytes| *bytes > 0),
            anonymous_bytes: Some(anonymous_bytes).filter(|bytes| *bytes > 0),
        }))
    }

    /// Returns the lifetime of a result, in milliseconds.
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

    /// Returns the bucket's origin.
    pub(crate) fn origin(&self) -> String {
        self.bucket.base_url().origin().ascii_serialization()
    }

    /// Returns a list of hosts with only the bucket's host.
    pub(crate) fn hosts(&self) -> Hosts {
        let url = self.bucket.base_url();
        let host = url.host_str();
        let port = url.port_or_known_default();
        let entry = host.zip(port).map(|(host, port)| format!("{host}:{port}"));
        Hosts(entry.into_iter().collect())
    }

    /// Returns the URL for the `PUT` of an object, valid for some minutes.
    pub(crate) fn upload_url(&self, key: &str, now_ms: i64) -> Url {
        let credentials = self.credentials();
        sign(
            self.bucket.put_object(Some(&credentials), key),
            REQUEST_LASTS,
            now_ms,
        )
    }

    /// Returns the URL for the `DELETE` of an object, valid for some minutes.
    pub(crate) fn deletion_url(&self, key: &str, now_ms: i64) -> Url {
        let credentials = self.credentials();
        sign(
            self.bucket.delete_object(Some(&credentials), key),
            REQUEST_LASTS,
            now_ms,
        )
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
        let credentials = self.credentials();
        let mut action = self.bucket.get_object(Some(&credentials), key);
        let [content_type, disposition, cache_control] = headers;
        let query = action.query_mut();
        query.insert("response-content-type", content_type);
        query.insert("response-content-disposition", disposition);
        query.insert("response-cache-control", cache_control);
        sign(action, lasts, now_ms)
    }

    fn credentials(&self) -> Credentials {
        Credentials::new(
            self.access_key_id.as_str(),
            self.secret_access_key.expose().to_owned(),
        )
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
    let is_plain = endpoint.username().is_empty()
        && endpoint.password().is_none()
        && endpoint.query().is_none()
        && endpoint.fragment().is_none();
    if !is_safe(&endpoint) || !is_plain {
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

    fn read(values: &[(&str, &str)]) -> Result<Option<ResultsSettings>, SettingsError> {
        let get = |setting: &'static str| {
            let value = values.iter().find(|(name, _)| *name == setting);
            value.map(|(_, value)| (*value).to_owned())
        };
        ResultsSettings::read(&SettingsReader(&get))
    }

    fn at(url: &str) -> Result<Option<ResultsSettings>, SettingsError> {
        read(&[
            ("RESULTS_BUCKET_URL", url),
            ("RESULTS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
            (
                "RESULTS_SECRET_ACCESS_KEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            ("RESULTS_REGION", "us-east-1"),
        ])
    }

    #[test]
    fn a_bucket_is_named_by_its_path_or_its_host() {
        let url = |text: &str| {
            let settings = at(text).expect("a bucket").expect("settings");
            settings
                .download_url("a/b-0", ["t/t", "inline", "c"], Duration::from_secs(60), 0)
                .to_string()
        };
        for (text, expected) in [
            (
                "https://s3.example.com/mine",
                "https://s3.example.com/mine/a/b-0?",
            ),
            (
                "https://s3.example.com:9000/mine/",
                "https://s3.example.com:9000/mine/a/b-0?",
            ),
            (
                "https://example.com/s3/mine",
                "https://example.com/s3/mine/a/b-0?",
            ),
            (
                "https://mine.s3.example.com",
                "https://mine.s3.example.com/a/b-0?",
            ),
            (
                "http://127.0.0.1:9000/mine",
                "http://127.0.0.1:9000/mine/a/b-0?",
            ),
        ] {
            assert!(url(text).starts_with(expected), "{}", url(text));
        }
    }

    #[test]
    fn a_url_is_signed_as_the_protocol_says() {
        let settings = at("https://examplebucket.s3.amazonaws.com")
            .expect("a bucket")
            .expect("settings");
        // The published example of a presigned URL, on 24 May 2013.
        let credentials = settings.credentials();
        let action = settings.bucket.get_object(Some(&credentials), "test.txt");
        let url = sign(action, Duration::from_secs(86_400), 1_369_353_600_000);
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        assert!(url.as_str().ends_with(signature), "{url}");
    }

    #[test]
    fn a_wrong_bucket_and_missing_credentials_are_named() {
        for text in [
            "s3.example.com/mine",
            "http://s3.example.com/mine",
            "https://key:secret@s3.example.com/mine",
            "https://s3.example.com/mine?x=1",
            "https://localhost",
        ] {
            assert_eq!(
                at(text).err().map(|error| error.setting),
                Some("RESULTS_BUCKET_URL"),
                "{text}"
            );
        }
        assert!(read(&[]).expect("no bucket").is_none());
        let error = read(&[("RESULTS_BUCKET_URL", "https://s3.example.com/mine")]);
        assert_eq!(
            error.err().map(|error| error.setting),
            Some("RESULTS_ACCESS_KEY_ID")
        );
    }

    #[test]
    fn the_secret_is_in_no_debug_output() {
        let settings = at("https://s3.example.com/mine").expect("a bucket");
        assert!(!format!("{settings:?}").contains("wJalrXUt"));
    }
}
