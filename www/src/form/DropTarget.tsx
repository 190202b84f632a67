/**
 * Takes the files that are dropped beside the fields of a form, so that the browser does not open
 * them. Also takes the files and addresses that are pasted.
 */
import { freeField, sortFiles } from "mediagate/forms";
import { useEffect, useState } from "preact/hooks";
import type { Field } from "../catalogue";
import { isChosen, type ResultReference } from "../results/reference";
import type { Values } from "../storage";
import { addressIn } from "./address";
import {
  dragged,
  fieldOf,
  folderNotice,
  formsFor,
  noticeOf,
  resultIn,
  splitFolders,
  typesIn,
} from "./drop";
import { take, takesFiles } from "./files";
import { addFile } from "./fill";
import type { FormModel } from "./model";

const MAX_FORMS = 6;

interface Notice {
  text: string;
  other: File | undefined;
  values: Values;
}

export function DropTarget({ model }: { model: FormModel }) {
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const on = (
      name: "dragover" | "dragleave" | "drop",
      act: (event: DragEvent) => void,
    ) => addEventListener(name, act, { signal });
    const add = (files: readonly File[], folders: readonly string[]) => {
      const { text, others } = addTo(model, files);
      const texts = [text, folderNotice(folders)].filter(Boolean);
      const values = model.values.value;
      setNotice({ text: texts.join(" "), other: others[0], values });
    };
    const addResult = (result: ResultReference) => {
      const field = fieldOf(model, result);
      if (field) return model.add(field, result);
      const text = `No field of this form takes ${result.name}.`;
      setNotice({ text, other: undefined, values: model.values.value });
    };
    on("dragover", (event) => {
      const types = typesIn(event.dataTransfer) ?? dragged.peek();
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
      // A field may have taken the file.
      if (event.defaultPrevented) return;
      const result = resultIn(event.dataTransfer);
      // Dragged text goes where it was dropped.
      if (!result && !typesIn(event.dataTransfer)) return;
      event.preventDefault();
      // A browser also has the picture of a result as a file.
      if (result) return addResult(result);
      const { files, folders } = splitFolders(event.dataTransfer);
      add(files, folders);
    });
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])];
      // Some programs add a picture of a copied text. The person means the text.
      const hasText = clipboardData?.types.includes("text/plain");
      if (files.length > 0 && !hasText) add(files, []);
      const address = addressIn(clipboardData?.getData("text/plain"));
      const element = target instanceof Element ? target : undefined;
      // A control for text and a dialog get the address as text.
      if (!address || element?.matches(":read-write, dialog *")) return;
      const field = fieldFor(model, element);
      if (field) model.add(field, address);
    };
    addEventListener("paste", paste, { signal });
    return () => controller.abort();
  }, [model]);
  const isCurrent = notice?.values === model.values.value;
  return (
    <div class="dropped">
      <p class="remark" role="status">
        {isCurrent && notice?.text}
      </p>
      {isCurrent && notice?.other && <Forms file={notice.other} />}
    </div>
  );
}

function Forms({ file }: { file: File }) {
  return (
    <ul class="forms" aria-label={`Forms that take ${file.name}`}>
      {formsFor(file)
        .slice(0, MAX_FORMS)
        .map(({ capability, field }) => (
          <li key={capability.name}>
            <button
              type="button"
              class="small"
              onClick={() => addFile(capability, field, file)}
            >
              {capability.title}
            </button>
          </li>
        ))}
    </ul>
  );
}

function fieldFor(
  { capability, values }: FormModel,
  focused: Element | undefined,
): Field | undefined {
  const fields = capability.fields.filter(takesFiles);
  const row = focused?.closest<HTMLElement>("[data-field]");
  return (
    fields.find(({ name }) => name === row?.dataset.field) ??
    freeField(fields, values.value)
  );
}

function addTo(
  model: FormModel,
  files: readonly File[],
): { text: string; others: readonly File[] } {
  const { fields } = model.capability;
  const { groups, others } = sortFiles(fields, model.values.value, files);
  const notices = [...groups].map(([field, group]) => {
    const before = [model.values.value[field.name]].flat().filter(isChosen);
    const taken = take(field, before, group);
    model.set(field.name, field.kind === "file" ? taken.files[0] : taken.files);
    return taken.notice;
  });
  const text = [...notices, noticeOf(others)].filter(Boolean).join(" ");
  return { text, others };
}
