//! The package's types that do not come from the catalogue. `pkg/index.d.ts` lists those that are public.

mod calls;
mod history;
mod hooks;
mod issues;
mod media;
mod models;
mod pipeline;
mod task;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"
import type { Capabilities, CapabilityMethods, CapabilityName, IssueReason, StepMethods, TaskReference } from "./capabilities.js";
import type { MediagateError } from "../error.js";
"#;
