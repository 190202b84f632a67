/** The checks of requests with their files, which are loaded with the first form that takes a file. */
import { signal } from "@preact/signals";
import type { Issue } from "mediagate";
import type { Field } from "../catalogue";
import { chunk } from "../parts/chunk";
import type { Values } from "../storage";
import { takesFiles } from "./files";

type Checks = typeof import("./checks/live");

const checks = signal<Checks | undefined>(undefined);

/** Without them a request is sent unchecked, as the gateway validates it too. */
async function load(): Promise<Checks | undefined> {
  checks.value ??= await chunk(() => import("./checks/live")).catch(
    () => undefined,
  );
  return checks.value;
}

/** Loads the checks for a form that needs them. */
export function prepareChecks(fields: readonly Field[]): void {
  if (fields.some(takesFiles)) void load();
}

/** These issues, and what is known to be wrong or doubtful so far. */
export function withKnown(
  issues: readonly Issue[],
  fields: readonly Field[],
  values: Values,
): readonly Issue[] {
  return checks.value?.withKnown(issues, fields, values) ?? issues;
}

/** Resolves once the facts that the checks need are known. */
export async function checksReady(
  fields: readonly Field[],
  values: Values,
): Promise<void> {
  if (fields.some(takesFiles)) await (await load())?.factsReady(fields, values);
}
