//! Upload URLs and the storage. URLs of the gateways' own relay need the token; those of a storage must not get it.

use serde_json::json;

use super::{Gateways, Reply, lineage_of, refusal, success};
use crate::simulated::requests::{Sent, plain_response};
use crate::simulated::value::SimValue;

/// Storages. Some have URLs that begin much like those of a gateway's relay.
const STORAGES: [&str; 4] = [
    "https://storage.test/",
    "https://gateway.test.storage.test/api/app/v1/uploads/",
    "https://gateway.test/api/app/v2/uploads/",
    "https://gateway.test/other/api/app/v1/uploads/",
];

/// An upload URL.
pub struct Grant {
    /// The id of the file.
    pub file_id: String,
    /// The name of the file that it is for.
    name: String,
    /// The lineage of the token that requested it.
    lineage: String,
    /// Whether it does not work.
    is_stale: bool,
}

impl Gateways {
    /// `POST upload_urls`.
    pub(super) fn grant(&self, base: &str, request: &Sent) -> Reply {
        let random = &self.world.random;
        if random.chance(self.faults.stale / 4.0) {
            return success(&json!({ "file_id": "f" }));
        }
        let number = self.count();
        let url = if random.chance(0.3) {
            format!("{base}/api/app/v1/uploads/{number}")
        } else {
            format!("{}{number}", random.one_of(&STORAGES))
        };
        let text = |name: &str| request.body[name].as_str().expect("a string").to_owned();
        let name = text("file_name");
        let file_id = format!("file-{number}");
        let is_stale = random.chance(self.faults.stale);
        let lineage = lineage_of(&request.token);
        let grant = Grant {
            file_id: file_id.clone(),
            name,
            lineage,
            is_stale,
        };
        self.grants.borrow_mut().insert(url.clone(), grant);
        success(&json!({ "file_id": file_id, "upload_url": url }))
    }

    /// The lineage that requested an upload URL.
    pub(super) fn grant_lineage(&self, url: &str) -> String {
        self.grants
            .borrow()
            .get(url)
            .map(|it| it.lineage.clone())
            .unwrap_or_default()
    }

    /// A `PUT` to a storage, or to the relay of a gateway.
    pub(super) fn put(&self, request: &Sent, relay: Option<&str>) -> Reply {
        let grants = self.grants.borrow();
        let grant = grants
            .get(&request.url)
            .unwrap_or_else(|| panic!("no such URL: {}", request.line()));
        let Some(SimValue::File(file)) = &request.file else {
            panic!("{} has no file", request.line())
        };
        assert_eq!(grant.name, file.name);
        let random = &self.world.random;
        match relay {
            None if random.chance(self.faults.shed) => Reply::Response(plain_response(503)),
            None if grant.is_stale => {
                Reply::Response(plain_response(*random.one_of(&[400, 401, 403, 410])))
            }
            Some(_) if grant.is_stale => {
                refusal(403, 12, &json!({ "reason": "upload_url_expired" }))
            }
            _ => {
                self.stored.borrow_mut().push(grant.file_id.clone());
                if relay.is_some() {
                    success(&json!({}))
                } else {
                    Reply::Response(plain_response(200))
                }
            }
        }
    }
}
