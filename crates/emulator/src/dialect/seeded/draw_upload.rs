//! Draws the upload exchange.

use std::collections::BTreeMap;

use super::drawer::{Drawer, Names, Words, parsed};
use crate::dialect::{
    upload::{Transfer, UploadDialect},
    upload_request::{ProblemsForm, UploadRequestDialect},
    upload_response::{Expiry, Extra, HeadersForm, UploadResponseDialect},
};

/// The usual names for a part of the request, and invented names that contain a word for the part.
const FILE_NAME: Names = Names(
    &["file_name", "filename", "name", "fileName", "original_name"],
    &[
        "document_title_name",
        "nameOnDisk",
        "source-file-name",
        "fname_label",
        "called_name",
    ],
);
const CONTENT_TYPE: Names = Names(
    &[
        "content_type",
        "mime_type",
        "mimeType",
        "contentType",
        "media_type",
        "type",
    ],
    &[
        "mimeKind",
        "media_format_type",
        "mime_label",
        "kind_of_content",
        "typeHint",
    ],
);
const SIZE: Names = Names(
    &[
        "size",
        "file_size",
        "content_length",
        "bytes",
        "size_bytes",
        "fileSize",
    ],
    &[
        "byteLength",
        "octet_total_size",
        "length_in_bytes",
        "sizeOfFile",
        "bulk_bytes",
    ],
);
/// Invented names that do not tell the part.
const OPAQUE: [&str; 9] = [
    "alpha",
    "beta",
    "payload_a",
    "payload_b",
    "quux",
    "slotOne",
    "wibble",
    "left-half",
    "thingamy",
];

const CONTAINERS: [&str; 6] = [
    "/file",
    "/asset",
    "/asset_blob",
    "/parcel",
    "/upload/item",
    "/specimen",
];

const RESPONSE_CONTAINERS: [&str; 8] = [
    "/data",
    "/data",
    "/data",
    "/data/upload",
    "/data/receipt",
    "/outcome/slip",
    "/result",
    "/parcel",
];

const URL: Names = Names(
    &[
        "upload_url",
        "url",
        "uploadUrl",
        "put_url",
        "signed_url",
        "presigned_url",
    ],
    &[
        "drop_off",
        "dispatch_link",
        "harbour",
        "inbound_address",
        "quay",
    ],
);
const FILE_ID: Names = Names(
    &["file_id", "id", "fileId", "file_ref", "upload_id"],
    &["handle", "docket", "claim_check", "parcel_mark", "locker"],
);
const METHOD: Names = Names(&["method", "http_method", "verb"], &["manner", "gesture"]);
const HEADERS: Names = Names(
    &[
        "headers",
        "required_headers",
        "upload_headers",
        "signedHeaders",
    ],
    &["seals", "wrapping", "stickers"],
);
const FIELDS: Names = Names(
    &["fields", "form_fields", "form"],
    &["slips", "enclosures", "paperwork"],
);
const EXPIRES: Names = Names(
    &["expires_in", "expires_at", "expiresAt", "expiry", "ttl"],
    &["best_before", "door_shuts", "perishes"],
);
const EXTRA: Names = Names(
    &[
        "request_id",
        "download_url",
        "trace_id",
        "bucket",
        "cdn_url",
    ],
    &["footnote", "pickup_point", "luggage_tag", "weather"],
);

pub(super) fn draw_upload(draw: &mut Drawer) -> UploadDialect {
    let send = draw.one(&[
        Transfer::Put,
        Transfer::Put,
        Transfer::SignedPut,
        Transfer::Form,
    ]);
    UploadDialect {
        request: request(draw),
        response: response(draw, send),
        send,
        requires_key: draw.once_in(5),
        confirm: None,
    }
}

fn request(draw: &mut Drawer) -> UploadRequestDialect {
    draw.scope(&["title"]);
    let container = if draw.once_in(3) {
        draw.one(&CONTAINERS)
    } else {
        ""
    };
    let is_usual = draw.once_in(3);
    let place = |draw: &mut Drawer, Names(usual, telling): Names| {
        let invented: Words = if draw.once_in(3) { &OPAQUE } else { telling };
        let name = draw.fresh(if is_usual { usual } else { invented }, &OPAQUE);
        parsed(container, name)
    };
    let file_name = place(draw, FILE_NAME);
    let content_type = place(draw, CONTENT_TYPE);
    let size = place(draw, SIZE);
    UploadRequestDialect {
        file_name,
        content_type: (!draw.once_in(8)).then_some(content_type),
        size: (!draw.once_in(8)).then_some(size),
        strict: draw.once_in(3),
        problems: draw.one(&[
            ProblemsForm::Listed,
            ProblemsForm::Message,
            ProblemsForm::Silent,
        ]),
    }
}

fn response(draw: &mut Drawer, send: Transfer) -> UploadResponseDialect {
    draw.scope(&[]);
    let container = draw.one(&RESPONSE_CONTAINERS);
    let url = draw.place(container, URL, false);
    let file_id = draw.place(container, FILE_ID, false);
    let method = draw.maybe(2, container, METHOD, false);
    let headers = draw.place(container, HEADERS, false);
    let may_lack_headers = draw.once_in(2);
    let fields = draw.place(container, FIELDS, false);
    let expires = draw.maybe(4, container, EXPIRES, false);
    let mut extra = BTreeMap::new();
    for kind in [
        Extra::RandomId,
        Extra::DownloadUrl,
        Extra::Constant("standard".into()),
    ] {
        let place = draw.place(container, EXTRA, false);
        if draw.once_in(2) {
            extra.insert(place, kind);
        }
    }
    UploadResponseDialect {
        url,
        file_id,
        method,
        headers: (send == Transfer::SignedPut || !may_lack_headers && send == Transfer::Put)
            .then_some(headers),
        fields: (send == Transfer::Form).then_some(fields),
        expires,
        headers_as: draw.one(&[HeadersForm::Object, HeadersForm::Object, HeadersForm::List]),
        expiry: draw.one(&[Expiry::Seconds, Expiry::Date, Expiry::Milliseconds]),
        extra,
    }
}
