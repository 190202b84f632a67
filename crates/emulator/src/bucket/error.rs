use axum::{
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};

/// An error of S3's protocol. Neither text has a character that XML escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BucketError {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
}

const fn error(status: StatusCode, code: &'static str, message: &'static str) -> BucketError {
    BucketError {
        status,
        code,
        message,
    }
}

impl BucketError {
    pub(crate) const SIGNATURE_DOES_NOT_MATCH: Self = error(
        StatusCode::FORBIDDEN,
        "SignatureDoesNotMatch",
        "The request is not the one that was signed, or another secret signed it.",
    );
    pub(crate) const INVALID_ACCESS_KEY_ID: Self = error(
        StatusCode::FORBIDDEN,
        "InvalidAccessKeyId",
        "The access key id does not exist.",
    );
    pub(crate) const FOREIGN_HOST: Self = Self::access_denied(
        "The bucket has no host of this name. Use an IP address, localhost, or the host of \
         --base-url.",
    );
    pub(crate) const NO_SUCH_KEY: Self = error(
        StatusCode::NOT_FOUND,
        "NoSuchKey",
        "The key does not exist.",
    );
    pub(crate) const INVALID_RANGE: Self = error(
        StatusCode::RANGE_NOT_SATISFIABLE,
        "InvalidRange",
        "The range is past the end of the object.",
    );
    pub(crate) const MISSING_CONTENT_LENGTH: Self = error(
        StatusCode::LENGTH_REQUIRED,
        "MissingContentLength",
        "A PUT needs the header Content-Length.",
    );
    pub(crate) const ENTITY_TOO_LARGE: Self = error(
        StatusCode::BAD_REQUEST,
        "EntityTooLarge",
        "The object is larger than one PUT may be.",
    );
    pub(crate) const INCOMPLETE_BODY: Self = error(
        StatusCode::BAD_REQUEST,
        "IncompleteBody",
        "The body was cut off.",
    );
    pub(crate) const NOT_IMPLEMENTED: Self = error(
        StatusCode::NOT_IMPLEMENTED,
        "NotImplemented",
        "This bucket has PUT, GET, HEAD and DELETE of one object.",
    );

    /// HTTP 403: the signature does not allow the request.
    pub(crate) const fn access_denied(message: &'static str) -> Self {
        error(StatusCode::FORBIDDEN, "AccessDenied", message)
    }

    /// HTTP 400: the signature's parameters cannot be read.
    pub(super) const fn malformed_query(message: &'static str) -> Self {
        error(
            StatusCode::BAD_REQUEST,
            "AuthorizationQueryParametersError",
            message,
        )
    }

    /// An error with this status: a file that cannot be read or written, or a fault of the scene.
    pub(crate) const fn internal(status: StatusCode) -> Self {
        let message = "We encountered an internal error. Please try again.";
        error(status, "InternalError", message)
    }
}

impl From<std::io::Error> for BucketError {
    fn from(error: std::io::Error) -> Self {
        tracing::error!(%error, "a file of the bucket cannot be read or written");
        BucketError::internal(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for BucketError {
    fn into_response(self) -> Response {
        let BucketError {
            status,
            code,
            message,
        } = self;
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <Error><Code>{code}</Code><Message>{message}</Message></Error>"
        );
        (status, [(CONTENT_TYPE, "application/xml")], body).into_response()
    }
}
