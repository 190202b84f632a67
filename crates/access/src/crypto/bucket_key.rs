//! The key of a bucket with S3's protocol, and URLs that it signs.
//!
//! The crate `rusty-s3` signs, too, but is 58 KB of the compressed Worker, a twentieth of all. A
//! test compares the URLs.

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use url::{Position, Url};

use super::Secret;
use super::hash::{hex, hmac_sha256};

/// All but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The key of a bucket. Prints without its secret.
#[derive(Clone, Debug)]
pub struct BucketKey {
    /// The id of the access key, which its requests state.
    pub id: String,
    /// The secret of the access key.
    pub secret: Secret,
    /// The region that requests are signed for, such as `auto`.
    pub region: String,
}

impl BucketKey {
    /// Signs a request to a URL without a query, by AWS Signature Version 4. The path and the names
    /// of `query` are of unreserved characters, the names of `headers` in lower case. The URL is
    /// valid for `lasts` from `date` on, a time of RFC 3339 in UTC.
    pub fn sign(
        &self,
        method: &str,
        mut url: Url,
        headers: &[(&str, &str)],
        query: &[(&str, &str)],
        lasts: Duration,
        date: &str,
    ) -> Url {
        // `2013-05-24T00:00:00.000Z` becomes `20130524T000000Z`.
        let digits = date.chars().filter(char::is_ascii_alphanumeric).take(15);
        let time = digits.chain(['Z']).collect::<String>();
        let day = time.split('T').next().unwrap_or_default();
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let credential = format!("{}/{scope}", self.id);
        let lasts = lasts.as_secs().to_string();
        let host = url[Position::BeforeHost..Position::AfterPort].to_owned();
        let mut headers = [&[("host", host.as_str())], headers].concat();
        headers.sort_unstable();
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"))
            .collect();
        let mut members = vec![
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", &credential),
            ("X-Amz-Date", &time),
            ("X-Amz-Expires", &lasts),
            ("X-Amz-SignedHeaders", &names),
        ];
        members.extend(query);
        members.sort_unstable();
        let query = members
            .iter()
            .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, RESERVED)))
            .collect::<Vec<_>>()
            .join("&");
        let path = url.path();
        let request = format!("{method}\n{path}\n{query}\n{headers}\n{names}\nUNSIGNED-PAYLOAD");
        let request = hex(&Sha256::digest(request));
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{request}");
        let secret = ["AWS4", self.secret.expose()].concat().into_bytes();
        let key = [day, &self.region, "s3", "aws4_request"]
            .iter()
            .fold(secret, |key, part| hmac_sha256(&key, part));
        let signature = hex(&hmac_sha256(&key, &text));
        url.set_query(Some(&format!("{query}&X-Amz-Signature={signature}")));
        url
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;
    use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

    use super::*;

    fn key(secret: &str, region: &str) -> BucketKey {
        BucketKey {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: Secret::new(secret),
            region: region.to_owned(),
        }
    }

    #[test]
    fn a_url_is_signed_as_the_protocol_says() {
        // The published example of a presigned URL.
        let url = Url::parse("https://examplebucket.s3.amazonaws.com/test.txt").expect("a URL");
        let key = key("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1");
        let url = key.sign(
            "GET",
            url,
            &[],
            &[],
            Duration::from_secs(86_400),
            "2013-05-24T00:00:00.000Z",
        );
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        assert!(url.as_str().ends_with(signature), "{url}");
        assert!(!format!("{key:?}").contains("wJalrXUt"));
    }

    proptest! {
        #[test]
        fn a_url_is_that_of_a_published_library(
            secret in ".{1,60}",
            region in "[a-z0-9-]{1,20}",
            endpoint in prop::sample::select(vec![
                "https://s3.example.com", "http://127.0.0.1:9000", "https://example.com/a",
            ]),
            object in "[A-Za-z0-9-]{1,20}/[A-Za-z0-9-]{1,20}",
            file in ".{0,40}",
            seconds in 1..604_800_u64,
            now_ms in 0..4_000_000_000_000_i64,
        ) {
            let lasts = Duration::from_secs(seconds);
            let key = key(&secret, &region);
            let endpoint = Url::parse(endpoint).expect("a URL");
            let bucket = Bucket::new(endpoint, UrlStyle::Path, "mine", region).expect("a bucket");
            let credentials = Credentials::new(&key.id, secret);
            let mut action = bucket.get_object(Some(&credentials), &object);
            action.query_mut().insert("response-content-type", "image/png");
            action.query_mut().insert("response-content-disposition", &file);
            let now = Timestamp::from_millisecond(now_ms).expect("a time");
            let expected = action.sign_with_time(lasts, &now);
            let query = [
                ("response-content-type", "image/png"),
                ("response-content-disposition", file.as_str()),
            ];
            let url = bucket.object_url(&object);
            let date = format!("{now:.3}");
            let signed = key.sign("GET", url.clone(), &[], &query, lasts, &date);
            prop_assert_eq!(signed, expected);

            let mut action = bucket.put_object(Some(&credentials), &object);
            action.headers_mut().insert("content-type", "image/png");
            action.headers_mut().insert("content-length", seconds.to_string());
            let expected = action.sign_with_time(lasts, &now);
            let length = seconds.to_string();
            let headers = [("content-type", "image/png"), ("content-length", length.as_str())];
            let signed = key.sign("PUT", url, &headers, &[], lasts, &date);
            prop_assert_eq!(signed, expected);
        }
    }
}
