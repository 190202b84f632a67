use mediagate_access::crypto::hash;
use mediagate_access::identity::Subject;
use mediagate_core::{PREFIX, SUCCEEDED};
use mediagate_settings::RESULTS;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::{Sealer, TaskName};

const KIND: &str = "result";
const SEGMENT: &str = "results/";

/// An output of a task that succeeded. Its address is the right to read it, like a signed URL of a
/// storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRef {
    pub owner: Subject,
    pub task: TaskName,
    /// The position of the output in the task's list, from 0.
    pub position: u32,
}

impl ResultRef {
    pub fn new(owner: &Subject, task: &TaskName, position: u32) -> Self {
        // The origin is not always known, and a result must have one address.
        let mut task = task.clone();
        if let TaskName::Upstream(task) = &mut task {
            task.origin = None;
        }
        ResultRef {
            owner: owner.clone(),
            task,
            position,
        }
    }

    /// `public_url` has no slash at its end.
    pub fn url(&self, sealer: &Sealer, public_url: &str) -> String {
        let sealed = sealer.seal_for_all(KIND, self);
        [public_url, PREFIX, SEGMENT, &sealed].concat()
    }

    pub fn unseal(sealer: &Sealer, sealed: &str) -> Option<Self> {
        sealer.unseal_for_all(KIND, sealed)
    }

    pub fn of_url(sealer: &Sealer, url: &Url) -> Option<Self> {
        let (_, sealed) = url.path().rsplit_once(&[PREFIX, SEGMENT].concat())?;
        ResultRef::unseal(sealer, sealed)
    }

    pub fn object_key(&self, tenant: &str) -> String {
        let Subject {
            source,
            issuer,
            name,
        } = &self.owner;
        // Hashes keep names and ids out of the bucket, where others may list keys.
        let owner = hash(&[tenant, source, issuer, name]);
        let [group, id] = self.task.key();
        let task = hash(&[&group, &id]);
        format!("{RESULTS}{owner}/{task}-{}", self.position)
    }
}

/// Replaces the URLs of a task's outputs by the gateway's addresses, if the task succeeded, and
/// marks the outputs as not kept yet.
pub fn address_outputs(
    data: &mut Value,
    sealer: &Sealer,
    public_url: &str,
    owner: &Subject,
    task: &TaskName,
) {
    if data["task"]["state"] != SUCCEEDED {
        return;
    }
    for record in records_of(data, task) {
        let outputs = record.get_mut("outputs").and_then(Value::as_array_mut);
        for (position, output) in (0..).zip(outputs.into_iter().flatten()) {
            if output["url"].is_string() {
                let address = ResultRef::new(owner, task, position).url(sealer, public_url);
                output["url"] = address.into();
                output["kept"] = false.into();
            }
        }
    }
}

/// A create without a task has its result in `task` and in `result`. Beside a real task, `result`
/// is a member of the upstream and stays as it is.
pub fn records_of<'a>(data: &'a mut Value, task: &TaskName) -> impl Iterator<Item = &'a mut Value> {
    let is_twice = matches!(task, TaskName::Entry(_));
    let members = data.as_object_mut().into_iter().flatten();
    let records = members.filter(move |(name, _)| *name == "task" || is_twice && *name == "result");
    records.map(|(_, record)| record)
}

#[cfg(test)]
mod tests {
    use mediagate_core::Group;
    use serde_json::json;

    use super::*;
    use crate::TaskRef;
    use mediagate_access::crypto::Secret;

    fn sealer() -> Sealer {
        Sealer::new(&[Secret::new("one")], "t".into())
    }

    fn ann() -> Subject {
        Subject {
            name: "wilhelmina".into(),
            ..Subject::default()
        }
    }

    fn task() -> TaskName {
        TaskName::Upstream(TaskRef::new(Group::Generate, "job-1"))
    }

    #[test]
    fn an_address_names_its_result_and_cannot_be_forged() {
        let result = ResultRef::new(&ann(), &task(), 1);
        let url = result.url(&sealer(), "https://g.example");
        let sealed = url.strip_prefix("https://g.example/api/app/v1/results/");
        let sealed = sealed.expect("the path of results");
        assert!(!url.contains("wilhelmina") && !url.contains("job-1"));
        assert_eq!(ResultRef::unseal(&sealer(), sealed), Some(result));
        let other = Sealer::new(&[Secret::new("two")], "t".into());
        assert_eq!(ResultRef::unseal(&other, sealed), None);
    }

    #[test]
    fn no_two_results_share_an_object() {
        let bob = Subject {
            name: "bob".into(),
            ..Subject::default()
        };
        let other = TaskName::Upstream(TaskRef::new(Group::Process, "job-1"));
        let keys = [
            ResultRef::new(&ann(), &task(), 0).object_key("t"),
            ResultRef::new(&ann(), &task(), 1).object_key("t"),
            ResultRef::new(&bob, &task(), 0).object_key("t"),
            ResultRef::new(&ann(), &other, 0).object_key("t"),
            ResultRef::new(&ann(), &task(), 0).object_key("u"),
        ];
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }

    #[test]
    fn only_files_of_a_task_that_succeeded_get_addresses() {
        let addressed = |state: &str| {
            let outputs = json!([{"url": "https://m.example/1.png"}, {"asset_id": "a"}]);
            let mut data = json!({"task": {"state": state, "outputs": outputs}});
            address_outputs(&mut data, &sealer(), "https://g.example", &ann(), &task());
            data["task"]["outputs"].take()
        };
        let outputs = addressed("SUCCEEDED");
        let url = ResultRef::new(&ann(), &task(), 0).url(&sealer(), "https://g.example");
        assert_eq!(outputs[0], json!({"url": url, "kept": false}));
        assert_eq!(outputs[1], json!({"asset_id": "a"}));
        assert_eq!(addressed("RUNNING")[0]["url"], "https://m.example/1.png");
    }

    #[test]
    fn a_member_of_the_upstreams_own_stays() {
        for own in [
            json!("text"),
            json!({"outputs": [{"url": "https://m.example/2.png"}]}),
        ] {
            let outputs = json!([{"url": "https://m.example/1.png"}]);
            let task_record = json!({"state": "SUCCEEDED", "outputs": outputs});
            let mut data = json!({"task": task_record, "result": own});
            address_outputs(&mut data, &sealer(), "https://g.example", &ann(), &task());
            assert_eq!(data["result"], own);
            assert_eq!(data["task"]["outputs"][0]["kept"], false);
        }
    }
}
