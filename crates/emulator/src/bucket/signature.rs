//! Presigned URLs: AWS Signature Version 4 in the query.

use axum::http::{HeaderMap, HeaderName, Method, Uri, header::HOST};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use rusty_s3::signing::sign;
use subtle::ConstantTimeEq;
use url::Url;

use super::{credentials::DEV_RESULTS_ACCESS_KEY_ID, error::BucketError};
use crate::config::ResultsSecret;

/// The longest validity of a URL in seconds: 7 days, as in S3.
const MAX_SECONDS: u64 = 604_800;

/// The largest accepted lead of the signer's clock over this machine's.
const MAX_SKEW: SignedDuration = SignedDuration::from_mins(15);

pub(crate) type Query = Vec<(String, String)>;

struct Presigned {
    region: String,
    signed_at: Timestamp,
    /// The validity of the URL in seconds, from `signed_at` on.
    expires: u64,
    /// The names of the signed headers, in lower case.
    headers: Vec<String>,
    signature: String,
}

/// Checks that the bucket's secret presigned the URL for this request, and that the URL is valid at
/// `now`. Returns the query without the signature's parameters. Refuses with HTTP 400 if these
/// cannot be read, and with 403 for any other mismatch.
pub(crate) fn check_signature(
    secret: &ResultsSecret,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Query, BucketError> {
    let url = signed_url(uri).ok_or(BucketError::SIGNATURE_DOES_NOT_MATCH)?;
    let mut query: Query = url.query_pairs().into_owned().collect();
    let presigned = Presigned::take(&mut query)?;
    let age = now.duration_since(presigned.signed_at);
    if age > SignedDuration::from_secs(presigned.expires as i64) {
        return Err(BucketError::access_denied("Request has expired"));
    }
    if age < -MAX_SKEW {
        return Err(BucketError::access_denied("Request is not valid yet"));
    }
    // Headers such as `x-amz-acl` change the operation, so S3 accepts them only if they are signed.
    for name in headers.keys().map(HeaderName::as_str) {
        let is_signed = presigned.headers.iter().any(|signed| signed == name);
        if name.starts_with("x-amz-") && !is_signed {
            return Err(BucketError::access_denied(
                "There were headers present in the request which were not signed",
            ));
        }
    }
    // The order in which a signature covers the parameters.
    query.sort();
    let expected = presigned
        .expected_signature(secret, method, url, headers, &query)
        .ok_or(BucketError::SIGNATURE_DOES_NOT_MATCH)?;
    let is_equal: bool = presigned
        .signature
        .as_bytes()
        .ct_eq(expected.as_bytes())
        .into();
    if !is_equal {
        return Err(BucketError::SIGNATURE_DOES_NOT_MATCH);
    }
    Ok(query)
}

/// Returns the URL of a request. Its host does not count: the signed host is the header `Host`.
fn signed_url(uri: &Uri) -> Option<Url> {
    format!("http://localhost{}", uri.path_and_query()?)
        .parse()
        .ok()
}

impl Presigned {
    fn take(query: &mut Query) -> Result<Self, BucketError> {
        let mut take = |name: &str| {
            let position = query.iter().position(|(other, _)| other == name);
            position.map(|position| query.remove(position).1)
        };
        let signature = take("X-Amz-Signature")
            .ok_or(BucketError::access_denied("The URL is not presigned"))?;
        let malformed = BucketError::malformed_query;
        if take("X-Amz-Algorithm").is_none_or(|algorithm| algorithm != "AWS4-HMAC-SHA256") {
            return Err(malformed("X-Amz-Algorithm is not AWS4-HMAC-SHA256"));
        }
        let credential = take("X-Amz-Credential").unwrap_or_default();
        let [key, day, region, "s3", "aws4_request"] =
            credential.split('/').collect::<Vec<_>>()[..]
        else {
            return Err(malformed(
                "X-Amz-Credential is not ID/YYYYMMDD/REGION/s3/aws4_request",
            ));
        };
        if key != DEV_RESULTS_ACCESS_KEY_ID {
            return Err(BucketError::INVALID_ACCESS_KEY_ID);
        }
        let date = take("X-Amz-Date").unwrap_or_default();
        let signed_at = parse_date(&date)
            .filter(|_| date.starts_with(day))
            .ok_or(malformed(
                "X-Amz-Date is not YYYYMMDDTHHMMSSZ of the day in X-Amz-Credential",
            ))?;
        let expires = take("X-Amz-Expires")
            .and_then(|seconds| seconds.parse().ok())
            .filter(|seconds| (1..=MAX_SECONDS).contains(seconds))
            .ok_or(malformed(
                "X-Amz-Expires is not a number of seconds from 1 to 604800",
            ))?;
        let headers: Vec<String> = take("X-Amz-SignedHeaders")
            .unwrap_or_default()
            .split(';')
            .map(str::to_owned)
            .collect();
        if !headers.is_sorted() || !headers.iter().any(|name| name == HOST.as_str()) {
            return Err(malformed(
                "X-Amz-SignedHeaders is not a sorted list with host in it",
            ));
        }
        Ok(Presigned {
            region: region.to_owned(),
            signed_at,
            expires,
            headers,
            signature,
        })
    }

    /// Returns the signature that the bucket's secret gives the request. `query` is sorted. Returns
    /// `None` if the request lacks a signed header, or has a method that cannot be signed.
    fn expected_signature(
        &self,
        secret: &ResultsSecret,
        method: &Method,
        url: Url,
        headers: &HeaderMap,
        query: &Query,
    ) -> Option<String> {
        let method = match *method {
            Method::GET => rusty_s3::Method::Get,
            Method::HEAD => rusty_s3::Method::Head,
            Method::PUT => rusty_s3::Method::Put,
            Method::POST => rusty_s3::Method::Post,
            Method::DELETE => rusty_s3::Method::Delete,
            _ => return None,
        };
        let mut signed_headers = Vec::new();
        for name in &self.headers {
            signed_headers.push((name.as_str(), header_value(headers, name)?));
        }
        let signed = sign(
            &self.signed_at,
            method,
            url,
            DEV_RESULTS_ACCESS_KEY_ID,
            secret.expose(),
            None,
            &self.region,
            self.expires,
            query.iter().map(|(name, value)| (&**name, &**value)),
            signed_headers.iter().map(|(name, value)| (*name, &**value)),
        );
        let mut pairs = signed.query_pairs();
        let (_, signature) = pairs.find(|(name, _)| name == "X-Amz-Signature")?;
        Some(signature.into_owned())
    }
}

/// Reads a date such as `20130524T000000Z`.
fn parse_date(text: &str) -> Option<Timestamp> {
    let date = DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok()?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Joins several values of a header by commas, as they are signed.
fn header_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let values = headers.get_all(name).iter();
    let texts: Vec<&str> = values
        .map(|value| value.to_str().ok())
        .collect::<Option<_>>()?;
    (!texts.is_empty()).then(|| texts.join(","))
}
