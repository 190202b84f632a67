// The types that `openapi-typescript` generates from the gateway's document agree with the
// package's own types. `cargo xtask test --only scripts` makes ./dist/openapi.d.ts.
import type {
  Capabilities,
  CapabilityInfo,
  CapabilityName,
  FileUrl,
  Issue,
  MediagateError,
  Output,
  OutputReference,
  TaskReference,
  TaskSnapshot,
} from "mediagate";
import type { components, operations } from "./dist/openapi.js";

type Schemas = components["schemas"];

/** A name in Pascal case: `ImageToVideo` for `image_to_video`. */
type Pascal<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/**
 * The type of a value on the wire: an id instead of a file, its URL or a result, any list of
 * numbers instead of two, and no `readonly`, null or undefined.
 */
type Wire<T> = T extends
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | FileUrl
  | TaskReference
  | OutputReference
  | null
  | undefined
  ? never
  : T extends string | number | boolean
    ? T
    : T extends readonly [number, number]
      ? number[]
      : { -readonly [Key in keyof T]: Wire<Exclude<T[Key], undefined>> };

/** True if two types are assignable to each other. */
type Same<One, Other> = [One] extends [Other]
  ? [Other] extends [One]
    ? true
    : false
  : false;

/** The capabilities whose inputs differ. */
type Different = {
  [Name in CapabilityName]: Same<
    Wire<Capabilities[Name]>,
    Wire<Schemas[`${Pascal<Name>}Input`]>
  > extends true
    ? never
    : Name;
}[CapabilityName];
export const inputs: Same<Different, never> = true;

/**
 * The member names of an input, without dotted ones such as `region.x`, for which the document has
 * an object.
 */
type Names<Input> = Exclude<keyof Input, `region.${string}`>;

/**
 * Capabilities whose inputs have different member names: optional members that one side lacks would
 * be assignable.
 */
type DifferentNames = {
  [Name in CapabilityName]: Same<
    Names<Capabilities[Name]>,
    keyof Schemas[`${Pascal<Name>}Input`]
  > extends true
    ? never
    : Name;
}[CapabilityName];
export const names: Same<DifferentNames, never> = true;

export const capabilities: Same<
  Schemas["EstimateInput"]["capability"],
  CapabilityName
> = true;
export const methods: CapabilityInfo["method"] extends keyof operations
  ? true
  : false = true;

/** A name in snake case, such as `asset_id`, in camel case. */
type Camel<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

type Normalised = "id" | "state" | "progress" | "outputs";
/** The members that the client adds to an output: the one that makes it an input, and methods. */
type Added = keyof OutputReference | "blob" | "download";
/** A snapshot with the outputs of the wire. */
type WireSnapshot = Omit<TaskSnapshot, "outputs"> & {
  outputs: Omit<Output, Added>[];
};
type WireOutput = Schemas["Task"]["outputs"][number];
/** An output with the client's names, and without the members that are null on the wire. */
type CamelOutput = {
  [Name in keyof WireOutput as Camel<Name>]: NonNullable<WireOutput[Name]>;
};
export const task: Same<
  Omit<Pick<Schemas["Task"], Normalised>, "outputs"> & {
    outputs: CamelOutput[];
  },
  Wire<Pick<WireSnapshot, Normalised>>
> = true;
export const outputs: Same<
  Exclude<keyof Output, Added>,
  Camel<keyof WireOutput>
> = true;
export const references: Output extends OutputReference ? true : false = true;

type RefusalData = Schemas["Refusal"]["data"];
export const issues: Same<Schemas["Issue"], Wire<Issue>> = true;
export const errors: Same<
  NonNullable<RefusalData["errors"]>[number],
  Schemas["Issue"]
> = true;
export const outcome: Same<
  NonNullable<RefusalData["outcome"]>,
  NonNullable<MediagateError["outcome"]>
> = true;
export const reason: Same<
  RefusalData["reason"],
  NonNullable<MediagateError["reason"]>
> = true;
export const requestId: Same<
  RefusalData["request_id"],
  NonNullable<MediagateError["requestId"]>
> = true;
export const code: Same<
  Schemas["Refusal"]["code"],
  NonNullable<MediagateError["appCode"]>
> = true;
export const message: Same<
  Schemas["Refusal"]["message"],
  MediagateError["message"]
> = true;

// `Same` is false for different types.
export const different: [
  Same<{ a: string }, { a: number }>,
  Same<{ a: string }, { a?: string }>,
  Same<Wire<Capabilities["image_to_video"]>, Schemas["ResizeVideoInput"]>,
] = [false, false, false];
