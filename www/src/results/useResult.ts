/** A shown result with its original. An old URL of the result may have expired, and is renewed. */
import { useState } from "preact/hooks";
import { findCapability } from "../catalogue";
import { useBroken } from "../parts/useBroken";
import type { Values } from "../storage";
import type { Entry } from "../tasks/entry";
import { showSnapshot } from "../tasks/store";
import type { Loadable, Medium } from "./output";
import { type Chosen, isChosen } from "./reference";
import { urlOf } from "./urls";

type UrlState =
  /** May have expired. */
  | "old"
  /** Was renewed, and has not been loaded yet. */
  | "renewed"
  /** Did not load although it was renewed, so the result is gone. */
  | "gone";

export function useResult(entry: Entry, output: Loadable) {
  const [facts, setFacts] = useState("");
  const [broken, setBroken] = useBroken();
  const [urlState, setUrlState] = useState<UrlState>("old");
  const load = async () => {
    setUrlState(
      await renew(entry).then(
        () => "renewed" as const,
        () => "old" as const,
      ),
    );
    setBroken(false);
  };
  return {
    facts,
    broken,
    loading: { name: output.name, isGone: urlState === "gone", load },
    playing: {
      output,
      original: originalOf(entry, entry.values, output.kind),
      describe: (described: string) => {
        setFacts(described);
        setUrlState("old");
      },
      onError: () => {
        // An old URL may have expired, or the network may have failed.
        setUrlState((last) => (last === "renewed" ? "gone" : last));
        setBroken(true);
      },
    },
  };
}

async function renew({ key, task }: Entry): Promise<void> {
  // A result that came without a task cannot be read again.
  if (!task?.id) return;
  const snapshot = await task.refresh();
  if (snapshot.outputs.length > 0) showSnapshot(key, snapshot);
}

/**
 * Returns the last required file of the result's medium. A head swap has two: the first is the
 * head, and the last is the scene. A generated result has no original.
 */
function originalOf(
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
