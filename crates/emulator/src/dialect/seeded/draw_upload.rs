//! Draws the upload exchange.

use std::collections::BTreeMap;

use super::drawer::{Drawer, Names};
use crate::dialect::{
    pointer::Pointer,
    upload::{Transfer, UploadDialect},
    upload_request::{ProblemsForm, UploadRequestDialect},
    upload_response::{Expiry, Extra, HeadersForm, UploadResponseDialect},
};

/// Names for a part of the request. The `telling` names are invented, and contain a word for the
/// part.
struct RequestNames {
    usual: &'static [&'static str],
    telling: &'static [&'static str],
}

const FILE_NAME: RequestNames = RequestNames {
    usual: &["file_name", "filename", "name", "fileName", "original_name"],
    telling: &[
        "document_title_name",
        "nameOnDisk",
        "source-file-name",
        "fname_label",
        "called_name",
    ],
};
const CONTENT_TYPE: RequestNames = RequestNames {
    usual: &[
        "content_type",
        "mime_type",
        "mimeType",
        "contentType",
        "media_type",
        "type",
    ],
    telling: &[
        "mimeKind",
        "media_format_type",
        "mime_label",
        "kind_of_content",
        "typeHint",
    ],
};
const SIZE: RequestNames = RequestNames {
    usual: &[
        "size",
        "file_size",
        "content_length",
        "bytes",
        "size_bytes",
        "fileSize",
    ],
    telling: &[
        "byteLength",
        "octet_total_size",
        "length_in_bytes",
        "sizeOfFile",
        "bulk_bytes",
    ],
};
/// Invented names that do not tell the part.
const OPAQUE: &[&str] = &[
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

const CONTAINERS: &[&str] = &[
    "/file",
    "/asset",
    "/asset_blob",
    "/parcel",
    "/upload/item",
    "/specimen",
];

const RESPONSE_CONTAINERS: &[&str] = &[
    "/data",
    "/data",
    "/data",
    "/data/upload",
    "/data/receipt",
    "/outcome/slip",
    "/result",
    "/parcel",
];

const URL: Names = Names {
    usual: &[
        "upload_url",
        "url",
        "uploadUrl",
        "put_url",
        "signed_url",
        "presigned_url",
    ],
    invented: &[
        "drop_off",
        "dispatch_link",
        "harbour",
        "inbound_address",
        "quay",
    ],
};
const FILE_ID: Names = Names {
    usual: &["file_id", "id", "fileId", "file_ref", "upload_id"],
    invented: &["handle", "docket", "claim_check", "parcel_mark", "locker"],
};
const METHOD: Names = Names {
    usual: &["method", "http_method", "verb"],
    invented: &["manner", "gesture"],
};
const HEADERS: Names = Names {
    usual: &[
        "headers",
        "required_headers",
        "upload_headers",
        "signedHeaders",
    ],
    invented: &["seals", "wrapping", "stickers"],
};
const FIELDS: Names = Names {
    usual: &["fields", "form_fields", "form"],
    invented: &["slips", "enclosures", "paperwork"],
};
const EXPIRES: Names = Names {
    usual: &["expires_in", "expires_at", "expiresAt", "expiry", "ttl"],
    invented: &["best_before", "door_shuts", "perishes"],
};
const EXTRA: Names = Names {
    usual: &[
        "request_id",
        "download_url",
        "trace_id",
        "bucket",
        "cdn_url",
    ],
    invented: &["footnote", "pickup_point", "luggage_tag", "weather"],
};

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
        draw.one(CONTAINERS)
    } else {
        ""
    };
    let is_usual = draw.once_in(3);
    let place = |draw: &mut Drawer, names: &RequestNames| {
        let invented = if draw.once_in(3) {
            OPAQUE
        } else {
            names.telling
        };
        let name = draw.fresh(if is_usual { names.usual } else { invented }, OPAQUE);
        Pointer::new(format!("{container}/{name}"))
    };
    let file_name = place(draw, &FILE_NAME);
    let content_type = place(draw, &CONTENT_TYPE);
    let size = place(draw, &SIZE);
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
    let container = draw.one(RESPONSE_CONTAINERS);
    let url = draw.place(container, &URL, false);
    let file_id = draw.place(container, &FILE_ID, false);
    let method = draw.maybe(2, container, &METHOD, false);
    let headers = draw.place(container, &HEADERS, false);
    let may_lack_headers = draw.once_in(2);
    let fields = draw.place(container, &FIELDS, false);
    let expires = draw.maybe(4, container, &EXPIRES, false);
    let mut extra = BTreeMap::new();
    for kind in [
        Extra::RandomId,
        Extra::DownloadUrl,
        Extra::Constant("standard".into()),
    ] {
        let place = draw.place(container, &EXTRA, false);
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
