//! Outputs that the simulated gateways move into the storage, and the ids in the inputs that arrive.

use mediagate_core::{Field, Kind, find, fits};
use serde_json::{Value as Json, json};

use super::{Gateways, Reply, lineage_of, refusal, success};
use crate::simulated::requests::Sent;
use crate::simulated::value::{SimValue, hold};

/// An output that is moved, once for all who request it.
pub struct Moved {
    /// The id of the file.
    file_id: String,
    /// The index of its task, and its position there.
    from: (usize, usize),
    /// The subject, and the lineage of the token that requested it first.
    subject: String,
    lineage: String,
    /// How often the transfer is still under way when it is requested.
    rounds: usize,
}

impl Gateways {
    /// `POST files`.
    pub(super) fn move_output(&self, base: &str, subject: &str, request: &Sent) -> Reply {
        let refused =
            |status, code, reason: &str| refusal(status, code, &json!({ "reason": reason }));
        let id = request.body["task_id"].as_str().expect("the id of a task");
        let position = request.body["output"].as_u64().expect("a position") as usize;
        let Some(task) = self.find(base, subject, id) else {
            return refused(404, 12, "unknown_task");
        };
        if !self.has_ended(task) {
            return refused(409, 12, "task_running");
        }
        match self.record(task)["outputs"].get(position) {
            None => return refused(404, 12, "unknown_output"),
            Some(output) if !output["url"].is_string() => {
                return refused(409, 12, "output_without_url");
            }
            Some(_) => {}
        }
        let random = &self.world.random;
        if random.chance(self.faults.moving / 2.0) {
            return match random.below(3) {
                0 => refused(404, 12, "unknown_path"),
                1 => refused(422, 12, "output_host_not_allowed"),
                _ => success(&json!({ "size": 9 })),
            };
        }
        let mut all = self.moved.borrow_mut();
        let from = (task, position);
        let index = all
            .iter()
            .position(|it| it.from == from)
            .unwrap_or_else(|| {
                let rounds = if random.chance(0.4) {
                    1 + random.below(4)
                } else {
                    0
                };
                let (file_id, lineage) = (
                    format!("moved-{}", self.count()),
                    lineage_of(&request.token),
                );
                all.push(Moved {
                    file_id,
                    from,
                    subject: subject.to_owned(),
                    lineage,
                    rounds,
                });
                all.len() - 1
            });
        let moved = &mut all[index];
        if moved.rounds == 0 {
            return success(&json!({ "file_id": moved.file_id, "size": 9 }));
        }
        moved.rounds -= 1;
        success(&json!({ "loaded": 9 - moved.rounds, "total": 9, "progress": 0.5 }))
    }

    /// Sets the input of a caller, with which what arrives is compared.
    pub fn expect_input(&self, title: &str, input: &SimValue) {
        self.inputs
            .borrow_mut()
            .insert(title.to_owned(), input.json());
    }

    /// Asserts that an input that arrived has ids in the place of files and results, each its own.
    ///
    /// # Errors
    /// A refusal, where a file is another subject's: the token was renewed since it was moved.
    pub(super) fn check_files(
        &self,
        subject: &str,
        request: &Sent,
        input: &Json,
        capability: &str,
        step: &str,
    ) -> Result<(), Reply> {
        let inputs = self.inputs.borrow();
        let title = input.get("title").unwrap_or(&request.body["title"]);
        let original = &inputs[title.as_str().expect("a title")];
        let original = if step.is_empty() {
            original
        } else {
            &original[step]
        };
        let lineage = lineage_of(&request.token);
        let capability = find(capability).expect("a capability");
        for (name, sent) in input.as_object().expect("an input") {
            let Some(field) = capability.fields().find(|it| it.name == name) else {
                continue;
            };
            let is_list = match field.kind {
                Kind::File(_) | Kind::Asset(_) => false,
                Kind::Files(_) | Kind::FileOrFiles(_) => true,
                _ => continue,
            };
            assert!(sent.is_array() == is_list, "{name} is {sent}");
            let all = |it: &Json| it.as_array().cloned().unwrap_or_else(|| vec![it.clone()]);
            let (sent, original) = (all(sent), all(&original[name]));
            assert_eq!(sent.len(), original.len(), "{name} is {sent:?}");
            for (sent, original) in sent
                .iter()
                .zip(&original)
                .filter(|it| !it.0.is_object() || it.0 != it.1)
            {
                let id = sent
                    .as_str()
                    .unwrap_or_else(|| panic!("{name} has {sent} in place of an id"));
                if !self.is_own(field, id, original, subject, &lineage) {
                    return Err(refusal(
                        400,
                        12,
                        &json!({ "reason": "invalid_fields", "outcome": "not_sent" }),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Asserts that an id is that of what was in its place. Returns whether the subject may use it.
    fn is_own(
        &self,
        field: &Field,
        id: &str,
        original: &Json,
        subject: &str,
        lineage: &str,
    ) -> bool {
        if original.is_null() {
            assert!(
                self.stored.borrow().iter().any(|it| it == id),
                "{} has {id}, which was not uploaded",
                field.name
            );
            return true;
        }
        if original.is_string() || original["asset_id"].is_string() && field.kind.media().is_none()
        {
            assert!(
                id == original || id == original["asset_id"],
                "{} has {id} in place of {original}",
                field.name
            );
            return true;
        }
        let tasks = self.tasks.borrow();
        let task = original.get("task_id").unwrap_or(&original["id"]);
        let index = tasks
            .iter()
            .position(|it| it.id == *task)
            .unwrap_or_else(|| panic!("{id} of no task {original}"));
        drop(tasks);
        let outputs = self.record(index)["outputs"].clone();
        let outputs = outputs.as_array().expect("outputs");
        let first = outputs
            .iter()
            .position(|it| fits(field.kind, hold(it.clone().into())));
        let named = original
            .get("task_id")
            .and_then(|_| original["output"].as_u64())
            .map(|it| it as usize);
        let position = named.or(first).expect("an output that fits");
        if field.kind.media().is_none() {
            assert!(
                id == outputs[position]["asset_id"],
                "{} has {id} in place of {original}",
                field.name
            );
            return true;
        }
        let moved = self.moved.borrow();
        let moved = moved
            .iter()
            .find(|it| it.file_id == id)
            .unwrap_or_else(|| panic!("{id} was not moved"));
        assert_eq!(
            (moved.from, moved.lineage.as_str()),
            ((index, position), lineage),
            "in place of {original}"
        );
        moved.subject == subject
    }
}
