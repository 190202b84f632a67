//! The request that confirms an upload (§2: files are "uploaded and persisted" before a request is
//! submitted).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::DialectError;
use super::members::Members;

/// A `POST` that confirms an uploaded file before a create uses it. `{file_id}` stands for the
/// file's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfirmDialect {
    /// The absolute path, which may have `{file_id}`.
    pub path: String,
    /// The body.
    #[serde(default = "empty")]
    pub request: Members,
}

fn empty() -> Members {
    Members::of(&[])
}

impl ConfirmDialect {
    const FILE_ID: &str = "file_id";

    /// Returns the path for a file. `file_id` is a segment of a path, escaped.
    pub fn path(&self, file_id: &str) -> String {
        self.path.replace("{file_id}", file_id)
    }

    /// Returns the body for a file.
    pub fn body(&self, file_id: &str) -> Value {
        self.request
            .fill(|name| (name == Self::FILE_ID).then(|| file_id.into()))
    }

    pub(super) fn check(&self) -> Result<(), DialectError> {
        let plain = self.path.replace("{file_id}", "");
        let is_path = plain.starts_with('/')
            && !plain.starts_with("//")
            && !plain.contains(['?', '#', '\\', ' ', '{', '}']);
        if !is_path {
            let problem = "is no path; give one such as \"/api/app/v1/files/{file_id}/confirm\"";
            return Err(DialectError::new("upload.confirm.path", problem));
        }
        self.request
            .check("upload.confirm.request", &[Self::FILE_ID])?;
        let names_file = self.path.contains("{file_id}") || self.request.has(Self::FILE_ID);
        if names_file {
            Ok(())
        } else {
            let problem = "names no file; put {file_id} into its path or its request";
            Err(DialectError::new("upload.confirm", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn confirm(document: Value) -> Result<ConfirmDialect, String> {
        let confirm: ConfirmDialect =
            serde_json::from_value(document).map_err(|error| error.to_string())?;
        confirm.check().map_err(|error| error.to_string())?;
        Ok(confirm)
    }

    #[test]
    fn the_file_is_in_the_path_or_in_the_body() {
        let in_path = confirm(json!({"path": "/files/{file_id}/done"})).expect("valid");
        assert_eq!(in_path.path("a%2Fb"), "/files/a%2Fb/done");
        assert_eq!(in_path.body("a/b"), json!({}));
        let in_body = json!({"path": "/confirm", "request": {"id": "{file_id}"}});
        let in_body = confirm(in_body).expect("valid");
        assert_eq!(in_body.path("f"), "/confirm");
        assert_eq!(in_body.body("a/b"), json!({"id": "a/b"}));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (document, part) in [
            (json!({}), "path"),
            (json!({"path": "files"}), "upload.confirm.path"),
            (json!({"path": "/a/{name}"}), "upload.confirm.path"),
            (json!({"path": "/a"}), "upload.confirm"),
            (
                json!({"path": "/{file_id}", "request": {"a": "{size}"}}),
                "upload.confirm.request",
            ),
            (json!({"path": "/{file_id}", "method": "PUT"}), "method"),
        ] {
            let problem = confirm(document.clone()).expect_err("wrong");
            assert!(problem.contains(part), "{document}: {problem}");
        }
    }
}
