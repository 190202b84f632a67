import type { Issue } from "mediagate";
import { checkFiles, filesToInspect, mergeIssues } from "mediagate/forms";
import type { Field } from "../../catalogue";
import type { Values } from "../../storage";
import { factsOf, factsRead } from "./facts";

export { factsOf };

/** The longest wait of a request for the facts. A damaged file must not hold the request up. */
const MAX_WAIT_MS = 5_000;

export function withKnown(
  issues: readonly Issue[],
  fields: readonly Field[],
  values: Values,
): readonly Issue[] {
  const facts = filesToInspect(fields, values).map(
    (source) => [source.file, factsOf(source)] as const,
  );
  return mergeIssues(issues, checkFiles(fields, values, new Map(facts)));
}

export async function factsReady(
  fields: readonly Field[],
  values: Values,
): Promise<void> {
  const timeout = new Promise<void>((resolve) =>
    setTimeout(resolve, MAX_WAIT_MS),
  );
  await Promise.race([factsRead(filesToInspect(fields, values)), timeout]);
}
