/** References to results, which stand for files in a form. The gateway moves the bytes. */
import type { OutputKind, OutputReference, TaskReference } from "mediagate";
import { kindOfType, outputKind } from "mediagate/forms";
import type { Capability } from "../catalogue";
import type { Values } from "../storage";

interface Named {
  name: string;
  kind?: string | undefined;
}

export interface ResultReference extends Named, OutputReference {
  url?: string | undefined;
  assetId?: string | undefined;
}

/** A task that still ran when it was chosen. It stands for its first result that fits the field. */
export type RunningReference = Named & TaskReference;

/** A step of the new pipeline. It stands for its first result that fits the field. */
export interface StepReference extends Named {
  step: string;
}

export type Reference = ResultReference | RunningReference | StepReference;

/** The address of a file, which the gateway loads. */
export interface Address extends Named {
  url: string;
}

export type Chosen = File | Reference | Address;

/** The error of a result that cannot be an input. Its message is for a person. */
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

export function chosenIn(value: unknown): Chosen[] {
  if (isChosen(value)) return [value];
  return Array.isArray(value) || isPlain(value)
    ? Object.values(value).flatMap(chosenIn)
    : [];
}

export function referencesOf(values: unknown): Reference[] {
  return chosenIn(values).filter(isReference);
}

export function stepsIn(values: unknown): string[] {
  const names = referencesOf(values)
    .filter(isStep)
    .map(({ step }) => step);
  return [...new Set(names)];
}

export function mapChosen(
  value: unknown,
  replace: (chosen: Chosen) => unknown,
): unknown {
  if (isChosen(value)) return replace(value);
  const map = (member: unknown) => mapChosen(member, replace);
  if (Array.isArray(value)) return value.map(map);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, map(member)]),
  );
}

export async function replaceChosen(
  values: Values,
  replace: (chosen: Chosen) => unknown,
): Promise<Values> {
  const replaced = new Map<Chosen, unknown>();
  await Promise.all(
    chosenIn(values).map(async (chosen) =>
      replaced.set(chosen, await replace(chosen)),
    ),
  );
  return mapChosen(values, (chosen) => replaced.get(chosen)) as Values;
}

function isPlain(value: unknown): value is Values {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Returns `image`, `video`, `audio` or `pdf`; any other word for a file that fits no field. */
export function mediumOf(chosen: Chosen): string | undefined {
  return chosen instanceof File ? kindOfType(chosen.type) : chosen.kind;
}

export function mediumOfCapability(
  capability: Capability | undefined,
): OutputKind | undefined {
  return capability && outputKind(capability);
}

/** Returns an HTTP URL; `undefined` for anything else that the media service may send. */
export function webUrl(url: string | null | undefined): string | undefined {
  return url && /^https?:\/\//i.test(url) ? url : undefined;
}
