/** The original of a processed result, for comparison. */
import { findCapability } from "../catalogue";
import type { Values } from "../storage";
import type { Entry } from "../tasks/entry";
import type { Medium } from "./output";
import { type Chosen, isChosen } from "./reference";
import { urlOf } from "./urls";

/**
 * Returns the last required file of the result's medium. A head swap has two: the first is the
 * head, and the last is the scene. A generated result has no original.
 */
export function originalOf(
  entry: Entry,
  values: Values | undefined,
  kind: Medium | undefined,
): Chosen | undefined {
  const capability = findCapability(entry.capability);
  if (!kind || !values || capability?.group !== "process") return undefined;
  const fields = capability.fields.filter(
    (field) => field.kind === "file" && field.media === kind && field.required,
  );
  const chosen = values[fields.at(-1)?.name ?? ""];
  return isChosen(chosen) && (chosen instanceof File || urlOf(chosen))
    ? chosen
    : undefined;
}
