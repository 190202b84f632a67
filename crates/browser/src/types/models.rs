//! The models, their cost, and the capabilities.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const MODELS: &str = r#"
/** What a create would cost. The media service does not document its members. */
export interface Estimate {
  /** The credits, where the media service names them so. */
  readonly credits?: number;
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** The models of the media service. */
export interface ModelCatalogue {
  /** The models; absent where the gateway cannot read the catalogue. */
  readonly models?: readonly Model[];
  /** The avatars and voices that this session may use, as far as they are known. */
  readonly assets?: readonly UsableAsset[];
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** An avatar or a voice. */
export interface UsableAsset {
  /** Its id, for `avatar_asset_id` or `voice_asset_id` of an input. */
  readonly asset_id?: string;
  /** What it is, where that is known. */
  readonly category?: "avatar" | "voice" | (string & {});
  /** Other members, as the media service sends them, such as a name or a picture. */
  readonly [member: string]: unknown;
}

/** One model. */
export interface Model {
  /** Its id, for `model_id` of an input. */
  readonly model_id: string;
  /** The capability that it serves, where the catalogue says so. */
  readonly capability?: CapabilityName | (string & {});
  /** The values that it takes, by field: only listed ones are accepted. A field that is not listed takes any. */
  readonly generation_options?: { readonly [field: string]: readonly (string | number | boolean)[] };
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** A capability: its names and its path. */
export interface CapabilityInfo {
  /** Its name, such as `image_to_video`. */
  readonly name: CapabilityName;
  /** Its method on the client, such as `imageToVideo`. */
  readonly method: keyof CapabilityMethods<Task, CreateOptions>;
  /** Its group: `generate` makes new media, `process` changes existing media. A session token may be limited to one. */
  readonly group: "generate" | "process";
  /** What it works on: `video`, `image`, `audio`, or `asset`: a PDF document. */
  readonly medium: "video" | "image" | "audio" | "asset";
  /** Its path on the gateway, such as `/api/app/v1/generate/video/image_to_video`. */
  readonly path: string;
}
"#;
