/** The dialog with the code of a request or a pipeline. The writers of code are loaded with it. */
import { signal } from "@preact/signals";
import type { Capability } from "../catalogue";
import { Dialog } from "../parts/Dialog";
import { online } from "../parts/online";
import { useChunk } from "../parts/useLoaded";
import type { Draft, Values } from "../storage";
import type { Subject } from "./plan";

const shown = signal<Subject | undefined>(undefined);

export function showCode(capability: Capability, values: Values): void {
  shown.value = { capability, values };
}

export function showPipelineCode(pipeline: Draft): void {
  shown.value = { pipeline };
}

export function CodeDialog() {
  const subject = shown.value;
  if (!subject) return null;
  const name =
    "pipeline" in subject ? "The pipeline" : subject.capability.title;
  return (
    <Dialog heading={`${name} in code`} close={() => (shown.value = undefined)}>
      <LoadedCode subject={subject} />
    </Dialog>
  );
}

function LoadedCode({ subject }: { subject: Subject }) {
  const code = useChunk(() => import("./Code"));
  if (code) return <code.Code subject={subject} />;
  return (
    <p>
      {online.value
        ? "Loading…"
        : "You are offline. The code is shown when you are online again."}
    </p>
  );
}
