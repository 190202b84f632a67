//! A form that is sent while its file arrives (`multipart/form-data`, RFC 7578). `FormData` would
//! hold the whole file in memory.

use std::collections::BTreeMap;

pub(super) struct Form {
    pub(super) content_type: String,
    pub(super) before: String,
    pub(super) after: String,
}

impl Form {
    /// Makes a form. The file is its last field, `file`: storages such as S3 ignore fields after
    /// it. No part may have the boundary in it.
    pub(super) fn new(
        boundary: &str,
        fields: &BTreeMap<String, String>,
        file_name: &str,
        content_type: &str,
    ) -> Self {
        let mut before = String::new();
        for (name, value) in fields {
            let name = quoted(name);
            before += &format!(
                "--{boundary}\r\ncontent-disposition: form-data; name={name}\r\n\r\n{value}\r\n"
            );
        }
        let name = quoted(file_name);
        before += &format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename={name}\r\n"
        );
        before += &format!("content-type: {content_type}\r\n\r\n");
        Form {
            content_type: format!("multipart/form-data; boundary={boundary}"),
            before,
            after: format!("\r\n--{boundary}--\r\n"),
        }
    }
}

/// Returns a name in quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    let escaped = name
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace('"', "%22");
    ["\"", &escaped, "\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_before_the_file_and_no_name_ends_its_line() {
        let fields = BTreeMap::from([
            ("key".to_owned(), "a b".to_owned()),
            ("x\"\r\ny".to_owned(), "ä".to_owned()),
        ]);
        let form = Form::new("b", &fields, "c\".png", "image/png");
        assert_eq!(form.content_type, "multipart/form-data; boundary=b");
        assert_eq!(
            [form.before, form.after].join("FILE"),
            "--b\r\ncontent-disposition: form-data; name=\"key\"\r\n\r\na b\r\n\
             --b\r\ncontent-disposition: form-data; name=\"x%22%0D%0Ay\"\r\n\r\nä\r\n\
             --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"c%22.png\"\r\n\
             content-type: image/png\r\n\r\n\
             FILE\r\n--b--\r\n"
        );
    }
}
