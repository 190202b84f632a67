/** What a processed result is compared with: the file that it was made from. */
import { findCapability } from "../catalogue";
import type { Values } from "../kept";
import type { Entry } from "../tasks/entry";
import type { Medium } from "./output";

/**
 * The last required file of the same medium: where there are two, as for a head swap, the first is what is put in, and
 * the other is the scene that is kept. What is generated has nothing before it.
 */
export function originalOf(entry: Entry, values: Values | undefined, kind: Medium | undefined): File | undefined {
  const capability = findCapability(entry.capability);
  if (!kind || !values || capability?.group !== "process") return undefined;
  const fields = capability.fields.filter((it) => it.kind === "file" && it.media === kind && it.required);
  const file = values[fields.at(-1)?.name ?? ""];
  return file instanceof File ? file : undefined;
}
