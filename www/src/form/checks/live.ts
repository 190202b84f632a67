/** The checks, with the facts of the files as far as they are read. */
import type { Issue } from "mediagate";
import type { Field } from "../../catalogue";
import type { Values } from "../../storage";
import { knownIssues, sourcesOf } from ".";
import { factsOf, factsRead } from "./facts";
import { merged } from "./issue";

/** How long a request waits for the facts: a damaged file must not stop it. */
const MAX_WAIT_MS = 5_000;

export function withKnown(
  issues: readonly Issue[],
  fields: readonly Field[],
  values: Values,
): readonly Issue[] {
  return merged(issues, knownIssues(fields, values, factsOf));
}

export async function factsReady(
  fields: readonly Field[],
  values: Values,
): Promise<void> {
  const timeout = new Promise<void>((resolve) =>
    setTimeout(resolve, MAX_WAIT_MS),
  );
  await Promise.race([factsRead(sourcesOf(fields, values)), timeout]);
}
