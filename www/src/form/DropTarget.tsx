/** Takes the files that are dropped beside the fields of a form, so that the browser does not open them. */
import { useEffect, useState } from "preact/hooks";
import { isChosen } from "../results/reference";
import type { Values } from "../storage";
import { dragged, folderNotice, sortInto, splitFolders, typesIn } from "./drop";
import { take } from "./files";
import type { FormModel } from "./model";

export function DropTarget({ model }: { model: FormModel }) {
  // Until the next change of the form.
  const [notice, setNotice] = useState<{ text: string; values: Values }>();
  useEffect(() => {
    const controller = new AbortController();
    const on = (
      name: "dragover" | "dragleave" | "drop",
      act: (event: DragEvent) => void,
    ) => addEventListener(name, act, { signal: controller.signal });
    on("dragover", (event) => {
      const types = typesIn(event.dataTransfer);
      if (!types) return;
      event.preventDefault();
      // Set only when they differ: this event is sent many times a second.
      if (types.join() !== dragged.peek()?.join()) dragged.value = types;
    });
    on("dragleave", (event) => {
      if (!event.relatedTarget) dragged.value = undefined;
    });
    on("drop", (event) => {
      dragged.value = undefined;
      // A field has taken it, or it is no file: dragged text goes where it was dropped.
      if (event.defaultPrevented || !typesIn(event.dataTransfer)) return;
      event.preventDefault();
      const { files, folders } = splitFolders(event.dataTransfer);
      const notices = [addTo(model, files), folderNotice(folders)];
      const text = notices.filter(Boolean).join(" ");
      setNotice({ text, values: model.values.value });
    });
    return () => controller.abort();
  }, [model]);
  return (
    <p class="remark" role="status">
      {notice?.values === model.values.value && notice.text}
    </p>
  );
}

/** Returns what to say of files that were not taken. */
function addTo(model: FormModel, files: readonly File[]): string {
  const { groups, notice } = sortInto(model.capability.fields, files);
  const notices = [...groups].map(([field, group]) => {
    const before = [model.values.value[field.name]].flat().filter(isChosen);
    const taken = take(field, before, group);
    model.set(field.name, field.kind === "file" ? taken.files[0] : taken.files);
    return taken.notice;
  });
  return [...notices, notice].filter(Boolean).join(" ");
}
