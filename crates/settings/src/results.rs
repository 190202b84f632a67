use std::time::Duration;

use mediagate_access::crypto::{BucketKey, Secret};
use url::Url;

use super::Hosts;
use super::parse::{Read, SettingsReader, required, wrong};
use super::url::{has_no_credentials, has_no_query, is_safe};

const DEFAULT_BYTES: u64 = 10 << 30;
const DEFAULT_ANONYMOUS_BYTES: u64 = 1 << 30;
const MAX_BYTES: u64 = 1 << 50;

pub const RESULTS: &str = "results/";
pub const UPLOADS: &str = "uploads/";
const SIGNATURE: &str = "X-Amz-Signature";

/// The lifetime of the URL of a request that stores or deletes an object.
const REQUEST_LASTS: Duration = Duration::from_secs(15 * 60);

/// A bucket with S3's protocol, and the limits of the results in it. With `UPLOAD_MODE=bucket`,
/// uploads are in it, too.
#[derive(Clone, Debug)]
pub struct ResultsSettings {
    bucket: Url,
    key: BucketKey,
    pub days: u32,
    /// The most bytes of one subject's results; `None` is no limit.
    pub bytes: Option<u64>,
    /// The most bytes of the results of all anonymous callers together; `None` is no limit.
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
        let bytes = limit(read, "RESULTS_BYTES", DEFAULT_BYTES)?;
        let anonymous_bytes = limit(read, "ANONYMOUS_RESULTS_BYTES", DEFAULT_ANONYMOUS_BYTES)?;
        let Some(url) = url else {
            return Ok(None);
        };
        let Some(bucket) = bucket(&url) else {
            return wrong(
                "RESULTS_BUCKET_URL",
                "is not the https URL of a bucket; give one such as https://s3.example.com/my-bucket \
                or https://my-bucket.s3.example.com, with a path of letters, digits, -, ., _ and ~",
            );
        };
        let missing = "is missing: RESULTS_BUCKET_URL needs it";
        let id = required("RESULTS_ACCESS_KEY_ID", access_key_id, missing)?;
        let secret = required("RESULTS_SECRET_ACCESS_KEY", secret_access_key, missing)?;
        Ok(Some(ResultsSettings {
            bucket,
            key: BucketKey {
                id,
                secret: Secret::new(secret),
                region: bucket_region(&url, region.as_deref()),
            },
            days,
            bytes,
            anonymous_bytes,
        }))
    }

    pub fn lasts_ms(&self) -> i64 {
        i64::from(self.days) * 24 * 60 * 60 * 1000
    }

    /// Returns true if a URL has the bucket's origin. The gateway must have another origin, because
    /// a result that is a page could otherwise act as the gateway's callers.
    pub fn is_origin_of(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| url.origin() == self.bucket.origin())
    }

    pub fn is_signed(&self, url: &str) -> bool {
        let results = [self.bucket.path(), RESULTS].concat();
        let Ok(url) = Url::parse(url) else {
            return false;
        };
        url.origin() == self.bucket.origin()
            && url.path().starts_with(&results)
            && url.query_pairs().any(|(name, _)| name == SIGNATURE)
    }

    pub fn origin(&self) -> String {
        self.bucket.origin().ascii_serialization()
    }

    pub fn hosts(&self) -> Hosts {
        match (self.bucket.host_str(), self.bucket.port_or_known_default()) {
            (Some(host), Some(port)) => Hosts(vec![format!("{host}:{port}")]),
            _ => Hosts::default(),
        }
    }

    /// Returns the URL for the `PUT` of an object with these headers, valid for `lasts` from `date`
    /// on.
    pub fn upload_url(
        &self,
        object: &str,
        headers: &[(&str, &str)],
        lasts: Duration,
        date: &str,
    ) -> Url {
        self.sign("PUT", object, headers, &[], lasts, date)
    }

    /// Returns the URL for the `PUT` of a result, valid for some minutes from `date` on.
    pub fn result_upload_url(&self, object: &str, date: &str) -> Url {
        self.upload_url(object, &[], REQUEST_LASTS, date)
    }

    /// Returns the URL for the `GET` or `HEAD` of a caller's upload, valid for `lasts` from `date`
    /// on.
    pub fn file_url(&self, method: &str, object: &str, lasts: Duration, date: &str) -> Url {
        self.sign(method, object, &[], &[], lasts, date)
    }

    /// Returns the URL for the `DELETE` of an object, valid for some minutes from `date` on.
    pub fn deletion_url(&self, object: &str, date: &str) -> Url {
        self.sign("DELETE", object, &[], &[], REQUEST_LASTS, date)
    }

    /// Returns the URL for the `GET` or `HEAD` of an object, valid for `lasts` from `date` on.
    /// `headers` are `Content-Type`, `Content-Disposition` and `Cache-Control` of the response.
    pub fn download_url(
        &self,
        method: &str,
        object: &str,
        headers: [&str; 3],
        lasts: Duration,
        date: &str,
    ) -> Url {
        let [content_type, disposition, cache_control] = headers;
        let query = [
            ("response-content-type", content_type),
            ("response-content-disposition", disposition),
            ("response-cache-control", cache_control),
        ];
        self.sign(method, object, &[], &query, lasts, date)
    }

    fn sign(
        &self,
        method: &str,
        object: &str,
        headers: &[(&str, &str)],
        query: &[(&str, &str)],
        lasts: Duration,
        date: &str,
    ) -> Url {
        let mut url = self.bucket.clone();
        url.set_path(&[url.path(), object].concat());
        self.key.sign(method, url, headers, query, lasts, date)
    }
}

/// Reads a limit; 0 is no limit.
fn limit(read: &SettingsReader<'_>, setting: &'static str, default: u64) -> Read<Option<u64>> {
    let bytes = read.number(setting, default, 0..=MAX_BYTES)?;
    Ok((bytes > 0).then_some(bytes))
}

/// The region of Cloudflare R2, which has no other. Most servers accept it.
const AUTO: &str = "auto";

/// Services whose hosts contain the region, and which accept no other in a signature.
const REGIONAL_HOSTS: [&str; 6] = [
    "amazonaws.com",
    "amazonaws.com.cn",
    "backblazeb2.com",
    "wasabisys.com",
    "scw.cloud",
    "digitaloceanspaces.com",
];

/// The region of the hosts of AWS and Wasabi that name none.
const FIRST_REGION: &str = "us-east-1";

/// Returns the region for signatures: `region`, unless it is empty or `auto`; else the region in
/// the host of the bucket's URL; else `auto`.
pub fn bucket_region(url: &str, region: Option<&str>) -> String {
    let stated = region.unwrap_or_default().trim();
    if !stated.is_empty() && stated != AUTO {
        return stated.to_owned();
    }
    let url = Url::parse(url.trim()).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    region_of(host).unwrap_or(AUTO).to_owned()
}

/// Returns the region in a host such as `mine.s3.eu-central-1.amazonaws.com`; `None` if the
/// service's hosts contain no region.
fn region_of(host: &str) -> Option<&str> {
    let labels = REGIONAL_HOSTS
        .iter()
        .find_map(|service| host.strip_suffix(service)?.strip_suffix('.'))?;
    // The hosts of private endpoints end with `vpce`.
    match labels.rsplit('.').find(|label| *label != "vpce")? {
        // Accelerated buckets may be in any region.
        "s3-accelerate" | "dualstack" => None,
        "s3" => Some(FIRST_REGION),
        // Older hosts of AWS have `s3-` before the region.
        label => Some(label.strip_prefix("s3-").unwrap_or(label)),
    }
}

/// Parses the URL of a bucket, and adds a `/` at its end.
fn bucket(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    if !is_safe(&url) || !has_no_credentials(&url) || !has_no_query(&url) {
        return None;
    }
    let path = url.path().trim_end_matches('/').to_owned();
    // Any other character can be escaped in several ways, and the bucket signs only one of them.
    let is_plain = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte));
    if !is_plain {
        return None;
    }
    // Without a path, the first label of the host is the bucket's name.
    if path.is_empty() && !url.domain()?.contains('.') {
        return None;
    }
    url.set_path(&format!("{path}/"));
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_is_the_stated_one_or_that_of_the_host() {
        for (host, expected) in [
            ("s3.eu-central-1.amazonaws.com", "eu-central-1"),
            ("mine.s3.eu-central-1.amazonaws.com", "eu-central-1"),
            ("my.own.s3.dualstack.us-west-2.amazonaws.com", "us-west-2"),
            ("s3-ap-southeast-2.amazonaws.com", "ap-southeast-2"),
            ("s3.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            ("s3.amazonaws.com", "us-east-1"),
            ("mine.s3.amazonaws.com", "us-east-1"),
            ("mine.s3-accelerate.amazonaws.com", "auto"),
            ("mine.s3-accelerate.dualstack.amazonaws.com", "auto"),
            (
                "bucket.vpce-1a2b3c4d.s3.us-east-2.vpce.amazonaws.com",
                "us-east-2",
            ),
            ("s3.us-west-004.backblazeb2.com", "us-west-004"),
            ("mine.s3.wasabisys.com", "us-east-1"),
            ("s3.fr-par.scw.cloud", "fr-par"),
            ("mine.fra1.digitaloceanspaces.com", "fra1"),
            ("0123.r2.cloudflarestorage.com", "auto"),
            ("s3.eu-west-1.example.com", "auto"),
            ("notamazonaws.com", "auto"),
        ] {
            let url = format!("https://{host}/mine");
            assert_eq!(bucket_region(&url, None), expected, "{host}");
            assert_eq!(bucket_region(&url, Some("auto")), expected, "{host}");
            assert_eq!(bucket_region(&url, Some("eu-west-1")), "eu-west-1");
        }
    }

    #[test]
    fn a_bucket_is_named_by_its_path_or_its_host() {
        for (text, expected) in [
            (
                "https://s3.example.com/mine",
                Some("https://s3.example.com/mine/"),
            ),
            (
                "https://s3.example.com:9000/mine/",
                Some("https://s3.example.com:9000/mine/"),
            ),
            (
                "https://example.com/s3/mine",
                Some("https://example.com/s3/mine/"),
            ),
            (
                "https://mine.s3.example.com",
                Some("https://mine.s3.example.com/"),
            ),
            (
                "http://127.0.0.1:9000/mine",
                Some("http://127.0.0.1:9000/mine/"),
            ),
            ("http://127.0.0.1:9000", None),
            ("https://localhost", None),
            ("https://s3.example.com/my+bucket", None),
            ("https://s3.example.com/mine?a=b", None),
        ] {
            assert_eq!(bucket(text).as_ref().map(Url::as_str), expected, "{text}");
        }
    }
}
