import type { Issue } from "mediagate";
import type { Field } from "../../catalogue";
import type { Values } from "../../storage";
import { knownIssues, sourcesOf } from ".";
import { factsOf, factsRead } from "./facts";
import { merged } from "./issue";

export { factsOf };

/** The longest wait of a request for the facts. A damaged file must not hold the request up. */
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
