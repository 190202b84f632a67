/** Results as the values of fields, in place of files: plain data that is stored, and of which the gateway moves the bytes. */
import type { OutputReference, TaskReference } from "mediagate";
import type { Capability } from "../catalogue";
import type { Values } from "../storage";

interface Named {
  /** The name of the result, as it is shown. */
  name: string;
  /** Its medium; `undefined` where it is unknown. */
  kind?: string | undefined;
}

/** A result of a task that has ended. */
export interface ResultReference extends Named, OutputReference {
  url?: string | undefined;
  assetId?: string | undefined;
}

/** A task that still ran when it was chosen: its first result that fits the field is meant. */
export type RunningReference = Named & TaskReference;

/** The result of a step of the pipeline that is being built: the first one that fits the field. */
export interface StepReference extends Named {
  /** The name of the step. */
  step: string;
}

export type Reference = ResultReference | RunningReference | StepReference;

/** The address of a file, which the gateway loads. */
export interface Address extends Named {
  url: string;
}

/** What a field for files holds. */
export type Chosen = File | Reference | Address;

/** The result cannot be an input; the message says why. */
export class UnusableResult extends Error {}

export function isReference(value: unknown): value is Reference {
  return (
    isNamed(value) &&
    ("taskId" in value || "capability" in value || "step" in value)
  );
}

export function isAddress(value: unknown): value is Address {
  return (
    isNamed(value) &&
    typeof (value as Address).url === "string" &&
    !isReference(value)
  );
}

function isNamed(value: unknown): value is Named {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Named).name === "string"
  );
}

export function isStep(value: unknown): value is StepReference {
  return isReference(value) && "step" in value;
}

export function isRunning(reference: Reference): reference is RunningReference {
  return "capability" in reference;
}

export function isChosen(value: unknown): value is Chosen {
  return value instanceof File || isReference(value) || isAddress(value);
}

/** Every file, result and address in values, at any depth. */
export function chosenIn(value: unknown): Chosen[] {
  if (isChosen(value)) return [value];
  return Array.isArray(value) || isPlain(value)
    ? Object.values(value).flatMap(chosenIn)
    : [];
}

/** Every result in values. */
export function referencesOf(values: unknown): Reference[] {
  return chosenIn(values).filter(isReference);
}

/** The names of the steps whose results are in values. */
export function stepsIn(values: unknown): string[] {
  const names = referencesOf(values)
    .filter(isStep)
    .map((it) => it.step);
  return [...new Set(names)];
}

/** The same values with others in the place of files and results. */
export function mapChosen(
  value: unknown,
  replace: (chosen: Chosen) => unknown,
): unknown {
  if (isChosen(value)) return replace(value);
  if (Array.isArray(value)) return value.map((it) => mapChosen(it, replace));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [name, mapChosen(it, replace)]),
  );
}

/** As `mapChosen`, where it takes time. */
export async function replaceChosen(
  values: Values,
  replace: (chosen: Chosen) => unknown,
): Promise<Values> {
  const replaced = new Map<Chosen, unknown>();
  await Promise.all(
    chosenIn(values).map(async (it) => replaced.set(it, await replace(it))),
  );
  return mapChosen(values, (it) => replaced.get(it)) as Values;
}

function isPlain(value: unknown): value is Values {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}

/** `image`, `video`, `audio` or `pdf`; another word or none for a file that fits no field. */
export function mediumOf(chosen: Chosen): string {
  if (!(chosen instanceof File)) return chosen.kind ?? "";
  return chosen.type === "application/pdf"
    ? "pdf"
    : (chosen.type.split("/")[0] ?? "");
}

/** The medium of what a capability produces; that of the capabilities for PDFs has another name than their files. */
export function mediumOfCapability(
  capability: Capability | undefined,
): string | undefined {
  return capability?.medium === "asset" ? "pdf" : capability?.medium;
}

/** An HTTP URL: it comes from the media service, and may be anything. */
export function webUrl(url: string | null | undefined): string | undefined {
  return url && /^https?:\/\//i.test(url) ? url : undefined;
}
