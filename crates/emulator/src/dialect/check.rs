//! Checks that the parts of a dialect fit together.

use json_patch::jsonptr::{Pointer, PointerBuf};
use mediagate_core::{CAPABILITIES, Group, PREFIX};

use super::{
    document::Dialect,
    paths::{ASSET_ID, TASK_ID},
    place::overlap,
    upload::{FILE_ID, Transfer},
};

/// Paths that the emulator serves in every dialect.
const OWN_PATHS: [&str; 3] = ["/healthz", "/uploads", "/files"];

impl Dialect {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// A sentence that begins with the name of the first part that does not fit.
    pub fn check(&self) -> Result<(), String> {
        self.check_paths()?;
        self.check_upload()?;
        self.check_states()?;
        self.check_places()
    }

    fn check_paths(&self) -> Result<(), String> {
        let paths = &self.paths;
        for capability in CAPABILITIES {
            let part = match capability.group() {
                Group::Generate => "paths.generate_task",
                Group::Process => "paths.process_task",
            };
            path_with(TASK_ID, part, &paths.task(capability))?;
        }
        for (part, path) in [
            ("paths.models", &paths.models),
            ("paths.estimate", &paths.estimate),
        ] {
            if let Some(path) = path {
                plain_path(part, path)?;
            }
        }
        if let Some(path) = &paths.asset {
            path_with(ASSET_ID, "paths.asset", path)?;
            let as_task = path.replace(ASSET_ID, TASK_ID);
            if paths.tasks().contains_key(&as_task) {
                return Err("paths.asset: this is the path of tasks".into());
            }
        }
        // Of the paths without an id, only the estimate is a POST, as the documented endpoints are.
        let is_taken = |path: &str| {
            path == "upload_urls" || CAPABILITIES.iter().any(|known| known.path == path)
        };
        let estimate = paths
            .estimate
            .as_deref()
            .and_then(|path| path.strip_prefix(PREFIX));
        if estimate.is_some_and(is_taken) {
            return Err("paths.estimate: the document has another endpoint there".into());
        }
        Ok(())
    }

    fn check_upload(&self) -> Result<(), String> {
        if let Some(path) = &self.upload.confirm {
            path_with(FILE_ID, "upload.confirm", path)?;
        }
        let response = &self.upload.response;
        match self.upload.send {
            Transfer::SignedPut if response.headers.is_none() => {
                Err("upload.response.headers: a signed upload must name its headers".into())
            }
            Transfer::Form if response.fields.is_none() => {
                Err("upload.response.fields: a form must name its fields".into())
            }
            _ => Ok(()),
        }
    }

    fn check_states(&self) -> Result<(), String> {
        let words = self.states.all().map(str::to_lowercase);
        let is_new = |(index, word): (usize, &String)| {
            !word.trim().is_empty() && !words[..index].contains(word)
        };
        if words.iter().enumerate().all(is_new) {
            Ok(())
        } else {
            Err("states: give five different words".into())
        }
    }

    fn check_places(&self) -> Result<(), String> {
        let request = &self.upload.request;
        let response = &self.upload.response;
        let task = &self.task;
        let models = &self.models;
        let content_type = [&request.content_type, &request.size];
        apart("upload.request", [&request.file_name], content_type)?;
        let optional = [&response.method, &response.headers, &response.fields];
        let extra = response.extra.keys();
        apart(
            "upload.response",
            [&response.url, &response.file_id].into_iter().chain(extra),
            optional.into_iter().chain([&response.expires]),
        )?;
        let members = [&task.id, &task.state, &task.error_message];
        let optional = [&task.progress, &task.error_code];
        apart("task", members.into_iter().chain([&task.output]), optional)?;
        // `task.output` may be inside of `task.outputs`: the first output of the list. No other
        // part may.
        let others = optional.into_iter().chain([&task.outputs]);
        apart("task.outputs", members, others)?;
        if let Some(outputs) = &task.outputs
            && overlap(outputs, &task.output)
            && outputs
                .with_trailing_token("0")
                .with_trailing_token(&task.url_name)
                != task.output
        {
            return Err("task.output: inside of task.outputs, give the url_name of item 0".into());
        }
        let id = Some(&models.id).filter(|_| !models.keyed);
        apart(
            "models",
            id,
            [&models.capability, &models.options, &models.references],
        )?;
        self.check_outermost()
    }

    /// Checks the places that start at the outermost object of a response.
    fn check_outermost(&self) -> Result<(), String> {
        let response = &self.upload.response;
        let task = &self.task;
        let members = [
            &task.created,
            &task.read,
            &response.url,
            &response.file_id,
            &self.models.list,
            &self.estimate.credits,
        ];
        let optional = [
            &response.method,
            &response.headers,
            &response.fields,
            &response.expires,
        ];
        let optional = optional.into_iter().flatten();
        let mut places = (members.into_iter().chain(optional)).chain(response.extra.keys());
        let is_reserved = |place: &&PointerBuf| {
            let first = place.front().map(|name| name.to_string());
            first
                .is_some_and(|name| ["code", "message", "Code", "Message"].contains(&name.as_str()))
        };
        if let Some(place) = places.find(is_reserved).filter(|_| self.envelope) {
            return Err(format!("{place}: the envelope has a member of this name"));
        }
        if self.estimate.credits.is_root() {
            return Err(
                "estimate.credits: give the place of a member, as the body is an object".into(),
            );
        }
        if self.models.list.is_root() && self.envelope {
            return Err("models.list: give a place inside of the envelope".into());
        }
        Ok(())
    }
}

/// Checks that no two places overlap.
fn apart<'a>(
    part: &str,
    places: impl IntoIterator<Item = &'a PointerBuf>,
    optional: impl IntoIterator<Item = &'a Option<PointerBuf>>,
) -> Result<(), String> {
    let mut seen: Vec<&Pointer> = Vec::new();
    for place in places.into_iter().chain(optional.into_iter().flatten()) {
        if let Some(other) = seen.iter().find(|seen| overlap(seen, place)) {
            return Err(format!(
                "{part}: \"{other}\" and \"{place}\" overlap; give different places"
            ));
        }
        seen.push(place);
    }
    Ok(())
}

/// Checks that a placeholder is one segment of a path, and that the path has no other placeholder.
fn path_with(placeholder: &str, part: &str, path: &str) -> Result<(), String> {
    let ids = path
        .split('/')
        .filter(|segment| *segment == placeholder)
        .count();
    if ids != 1 {
        return Err(format!(
            "{part}: give a path with one segment {placeholder}"
        ));
    }
    plain_path(part, &path.replace(placeholder, "id"))
}

fn plain_path(part: &str, path: &str) -> Result<(), String> {
    // The unreserved characters of RFC 3986, which need no escape and are no pattern for the
    // router.
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    let is_own = OWN_PATHS
        .iter()
        .any(|own| path == *own || path.starts_with(&format!("{own}/")));
    match path.strip_prefix('/') {
        Some(_) if is_own => Err(format!("{part}: the emulator has another endpoint there")),
        Some(segments) if segments.split('/').all(is_segment) => Ok(()),
        _ => Err(format!(
            "{part}: give an absolute path, such as /api/app/v1/models"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of the error, then the dialect.
    const INVALID: &str = r#"paths.generate_task {"paths": {"generate_task": "/tasks"}}
paths.process_task {"paths": {"process_task": "/files/{task_id}"}}
paths.process_task {"paths": {"process_task": "/a/x{task_id}"}}
paths.process_task {"paths": {"process_task": "/a/{kind}/{task_id}"}}
paths.models {"paths": {"models": "models"}}
paths.models {"paths": {"models": "/a/{b}"}}
paths.asset {"paths": {"asset": "/assets"}}
paths.asset {"paths": {"asset": "/api/app/v1/process/tasks/{asset_id}"}}
paths.estimate {"paths": {"estimate": "/api/app/v1/upload_urls"}}
upload.confirm {"upload": {"confirm": "/files/{file_id}"}}
upload.response.headers {"upload": {"send": "signed_put"}}
upload.response.fields {"upload": {"send": "form"}}
upload.request {"upload": {"request": {"size": "/file_name/size"}}}
states {"states": {"failed": "succeeded"}}
task {"task": {"id": "/status"}}
task.outputs {"task": {"outputs": "/error"}}
task.output: {"task": {"output": "/outputs/1/url"}}
/message/x {"task": {"read": "/message/x"}}
/code {"upload": {"response": {"extra": {"/code": "random_id"}}}}
estimate.credits {"estimate": {"credits": ""}}
models.list {"models": {"list": ""}}
models {"models": {"options": "/model_id"}}"#;

    fn spoken(json: &str) -> Dialect {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_does_not_go_together_is_named() {
        for case in INVALID.lines() {
            let (part, dialect) = case.split_once(' ').unwrap();
            let error = spoken(dialect).check().unwrap_err();
            assert!(error.starts_with(part), "{case}: {error}");
        }
        assert_eq!(Dialect::default().check(), Ok(()));
        let inside = spoken(r#"{"task": {"output": "/outputs/0/url"}}"#);
        assert_eq!(inside.check(), Ok(()));
    }
}
