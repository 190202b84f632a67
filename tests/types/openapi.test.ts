// The gateway's OpenAPI document, as `openapi-typescript` reads it, and the package's own types say the same of the wire.
// `cargo xtask test --only types` makes ./dist/openapi.d.ts.
import type {
  Capabilities,
  CapabilityInfo,
  CapabilityName,
  Issue,
  MediagateError,
  Output,
  TaskSnapshot,
} from "mediagate";
import type { components, operations } from "./dist/openapi.js";

type Schemas = components["schemas"];

/** `image_to_video` as `ImageToVideo`. */
type Pascal<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/** What of a value is sent: a file's id in the place of the file, and nothing that is read-only or null. */
type Wire<T> = T extends Blob | null
  ? never
  : T extends string | number | boolean | undefined
    ? T
    : { -readonly [Key in keyof T]: Wire<T[Key]> };

/** Whether each of two types can stand for the other. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/** The capabilities whose inputs differ. */
type Different = {
  [Name in CapabilityName]: Same<Wire<Capabilities[Name]>, Schemas[`${Pascal<Name>}Input`]> extends true ? never : Name;
}[CapabilityName];
export const inputs: Same<Different, never> = true;

/** Optional members that one side lacks would be assignable: their names are compared too. */
type Unnamed = {
  [Name in CapabilityName]: Same<keyof Capabilities[Name], keyof Schemas[`${Pascal<Name>}Input`]> extends true ? never : Name;
}[CapabilityName];
export const names: Same<Unnamed, never> = true;

export const capabilities: Same<Schemas["EstimateInput"]["capability"], CapabilityName> = true;
export const methods: CapabilityInfo["method"] extends keyof operations ? true : false = true;

type Uniform = "id" | "state" | "progress" | "outputs";
export const task: Same<Pick<Schemas["Task"], Uniform>, Wire<Pick<TaskSnapshot, Uniform>>> = true;
export const outputs: Same<keyof Output, keyof Schemas["Task"]["outputs"][number]> = true;

type Said = Schemas["Refusal"]["data"];
export const issues: Same<Schemas["Issue"], Wire<Issue>> = true;
export const errors: Same<NonNullable<Said["errors"]>[number], Schemas["Issue"]> = true;
export const outcome: Same<NonNullable<Said["outcome"]>, NonNullable<MediagateError["outcome"]>> = true;
export const reason: Same<Said["reason"], NonNullable<MediagateError["reason"]>> = true;
export const requestId: Same<Said["request_id"], NonNullable<MediagateError["requestId"]>> = true;
export const code: Same<Schemas["Refusal"]["code"], NonNullable<MediagateError["appCode"]>> = true;
export const message: Same<Schemas["Refusal"]["message"], MediagateError["message"]> = true;

// What is the same is told from what is not.
export const different: [
  Same<{ a: string }, { a: number }>,
  Same<{ a: string }, { a?: string }>,
  Same<Wire<Capabilities["image_to_video"]>, Schemas["ResizeVideoInput"]>,
] = [false, false, false];
