import type { CapabilityName } from "../generated/capabilities.js";

/**
 * The cost of a create, as the media service sends it. Its members have the media service's own
 * names, and are not documented.
 */
export interface Estimate {
  /** The credits, if the media service names them so. */
  readonly credits?: number | undefined;
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/**
 * The models of the media service. The members at every depth have the media service's own names,
 * in snake case, as the fields of an input do.
 */
export interface ModelCatalogue {
  /** The models; absent if the gateway cannot read the catalogue. */
  readonly models?: readonly Model[] | undefined;
  /** The avatars and voices that this session may use, as far as they are known. */
  readonly assets?: readonly UsableAsset[] | undefined;
  readonly [member: string]: unknown;
}

/**
 * What a gateway offers. It may be less than the catalogue that every client has
 * (`capabilities()`), and has the gateway's own names, in snake case.
 */
export interface Offers {
  /** The capabilities, in the order of the catalogue. */
  readonly capabilities: readonly OfferedCapability[];
  /**
   * The limits on the values of this session's creates; absent if there are none. What the limits
   * leave out is not in `capabilities`.
   */
  readonly limits?: OfferedLimits | undefined;
}

/** Limits on the values of creates. A limited value must be stated, unless its default is allowed. */
export interface OfferedLimits {
  /** The ids of the models that may be used. */
  readonly models?: readonly string[] | undefined;
  /** The longest video to generate, in seconds. */
  readonly max_seconds?: number | undefined;
  /** The labels that `clarity` and `resolution` may have, in any case of letters. */
  readonly clarities?: readonly string[] | undefined;
  /** The largest product of `width` and `height`. */
  readonly max_pixels?: number | undefined;
  /** The most characters of a text that describes the result, or is spoken in it. */
  readonly max_prompt_chars?: number | undefined;
}

export interface OfferedCapability {
  readonly capability: CapabilityName;
  /** True if the document of the media service does not have the capability. */
  readonly is_extension: boolean;
  /** The models that serve it; empty if the gateway cannot read a catalogue. */
  readonly models: readonly OfferedModel[];
}

export interface OfferedModel {
  /** The id, for `model_id` of an input. */
  readonly model_id: string;
  /** The accepted values by field. A field that is not listed takes any value. */
  readonly values: { readonly [field: string]: readonly unknown[] };
}

export interface UsableAsset {
  /** The id, for `avatar_asset_id` or `voice_asset_id` of an input. */
  readonly asset_id?: string | undefined;
  /** The category, if it is known. */
  readonly category?: "avatar" | "voice" | (string & {}) | undefined;
  /** Other members, as the media service sends them, such as a name or a picture. */
  readonly [member: string]: unknown;
}

export interface Model {
  /** The id, for `model_id` of an input. */
  readonly model_id: string;
  /** The capability that the model serves, if the catalogue says so. */
  readonly capability?: CapabilityName | (string & {}) | undefined;
  /** The accepted values by field. A field that is not listed takes any value. */
  readonly generation_options?:
    | {
        readonly [field: string]: readonly (string | number | boolean)[];
      }
    | undefined;
  readonly [member: string]: unknown;
}
