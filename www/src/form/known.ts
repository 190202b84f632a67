/** The checks of requests with files, loaded with the first form that takes a file. */
import { signal } from "@preact/signals";
import type { Issue } from "mediagate";
import type { FileToInspect } from "mediagate/forms";
import type { Field } from "../catalogue";
import { chunk } from "../parts/chunk";
import type { Values } from "../storage";
import type { Facts } from "./checks/facts";
import { takesFiles } from "./files";

type Checks = typeof import("./checks/live");

const checks = signal<Checks | undefined>(undefined);

async function load(): Promise<Checks | undefined> {
  // Without the checks, a request is sent unchecked, since the gateway validates it too.
  checks.value ??= await chunk(() => import("./checks/live")).catch(
    () => undefined,
  );
  return checks.value;
}

export function prepareChecks(fields: readonly Field[]): void {
  if (fields.some(takesFiles)) void load();
}

export function withKnown(
  issues: readonly Issue[],
  fields: readonly Field[],
  values: Values,
): readonly Issue[] {
  return checks.value?.withKnown(issues, fields, values) ?? issues;
}

export function factsOf(source: FileToInspect): Facts {
  return checks.value?.factsOf(source) ?? {};
}

export async function checksReady(
  fields: readonly Field[],
  values: Values,
): Promise<void> {
  if (fields.some(takesFiles)) await (await load())?.factsReady(fields, values);
}
