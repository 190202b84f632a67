/** A shown result with its original. An old URL of the result may have expired, and is renewed. */
import { useState } from "preact/hooks";
import { findCapability } from "../catalogue";
import { useBroken } from "../parts/useBroken";
import type { Values } from "../storage";
import type { Entry } from "../tasks/entry";
import { showSnapshot } from "../tasks/store";
import { isGone, noteFailure, noteLoaded, noteRenewed } from "./gone";
import type { Loadable, Medium } from "./output";
import { type Chosen, isChosen } from "./reference";
import { urlOf } from "./urls";

export function useResult(entry: Entry, output: Loadable) {
  const [facts, setFacts] = useState("");
  const [broken, setBroken] = useBroken();
  const load = async () => {
    await renew(entry).catch(() => undefined);
    setBroken(false);
  };
  return {
    facts,
    broken,
    loading: { name: output.name, isGone: isGone(output.url), load },
    playing: {
      output,
      original: originalOf(entry, entry.values, output.kind),
      describe: (described: string) => {
        setFacts(described);
        noteLoaded(output.url);
      },
      onError: () => {
        noteFailure(output.url);
        setBroken(true);
      },
    },
  };
}

async function renew({ key, task }: Entry): Promise<void> {
  // A result that came without a task cannot be read again.
  if (!task?.id) return;
  const snapshot = await task.refresh();
  if (snapshot.outputs.length === 0) return;
  noteRenewed(snapshot.outputs.flatMap(({ url }) => url ?? []));
  showSnapshot(key, snapshot);
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
