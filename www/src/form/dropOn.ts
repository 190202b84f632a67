/** Drops on the name of a capability, which open its form with the file or result. */
import { takesType } from "mediagate/forms";
import type { Capability } from "../catalogue";
import type { Chosen } from "../results/reference";
import { dragged, fieldOf, resultIn, splitFolders } from "./drop";
import { addFile } from "./fill";
import { modelOf } from "./model";

/** Returns the properties of an element that takes files and results for a capability. */
export function dropOn(capability: Capability) {
  const isTarget = dragged.value?.some((type) =>
    capability.fields.some((field) => takesType(field, type)),
  );
  return {
    "data-target": isTarget ?? false,
    onDragOver: (event: DragEvent) => {
      if (isTarget) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const result = resultIn(event.dataTransfer);
      const chosen = result ? [result] : splitFolders(event.dataTransfer).files;
      for (const item of chosen) add(event, capability, item);
    },
  };
}

function add(event: DragEvent, capability: Capability, item: Chosen): void {
  const field = fieldOf(modelOf(capability), item);
  if (!field) return;
  // The open form takes what is dropped beside its fields.
  event.preventDefault();
  dragged.value = undefined;
  addFile(capability, field, item);
}
