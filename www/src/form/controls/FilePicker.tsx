import { Upload as UploadIcon } from "lucide";
import { fieldLabel } from "mediagate/words";
import { useRef, useState } from "preact/hooks";
import type { Field } from "../../catalogue";
import { Icon } from "../../parts/Icon";
import { type Chosen, isChosen } from "../../results/reference";
import { folderNotice, isTarget, resultIn, splitFolders } from "../drop";
import { take } from "../files";
import { AddressInput } from "./AddressInput";
import { type ControlProps, invalidAt } from "./control";
import { FileItem } from "./FileItem";
import { Recent } from "./Recent";
import { ResultItem } from "./ResultItem";

export function OneFile(props: ControlProps) {
  const file = isChosen(props.value) ? [props.value] : [];
  return (
    <Picker
      {...props}
      files={file}
      change={(files) => props.set(files.at(-1))}
      multiple={false}
    />
  );
}

export function ManyFiles(props: ControlProps) {
  const files = Array.isArray(props.value) ? (props.value as Chosen[]) : [];
  return <Picker {...props} files={files} change={props.set} multiple />;
}

interface PickerProps extends ControlProps {
  files: Chosen[];
  change(files: Chosen[]): void;
  multiple: boolean;
}

function Picker({
  field,
  id,
  value,
  issues,
  describedBy,
  files,
  change,
  multiple,
}: PickerProps) {
  const [notice, setNotice] = useState<{ text: string; value: unknown }>();
  // Files may be added faster than the field renders, and while a result is downloaded.
  const latest = useRef(files);
  latest.current = files;
  const add = (added: Chosen[], folders: string[] = []) => {
    const taken = take(field, latest.current, added);
    latest.current = taken.files;
    setNotice({
      text: [taken.notice, folderNotice(folders)].filter(Boolean).join(" "),
      value: multiple ? taken.files : taken.files[0],
    });
    change(taken.files);
  };
  return (
    <div class="picker">
      {files.length > 0 && (
        <ul class="files">
          {files.map((chosen, index) => {
            const others = files.toSpliced(index, 1);
            const raise = () => change(others.toSpliced(index - 1, 0, chosen));
            const common = {
              medium: field.media,
              remove: () => change(others),
              raise: index > 0 ? raise : undefined,
              invalid: invalidAt(issues, `${field.name}[${index}]`),
            };
            // The key is the value itself, so that a moved item keeps its element and the focus.
            if (chosen instanceof File)
              return <FileItem key={chosen} {...common} file={chosen} />;
            return <ResultItem key={chosen} {...common} result={chosen} />;
          })}
        </ul>
      )}
      <DropZone
        {...{ field, id, describedBy, multiple }}
        invalid={issues.length > 0}
        compact={files.length > 0}
        add={add}
      />
      <p class="remark" role="status">
        {notice?.value === value && notice?.text}
      </p>
      <AddressInput
        id={`${id}-address`}
        label={fieldLabel(field)}
        add={(address) => add([address])}
      />
      {(multiple || files.length === 0) && (
        <Recent
          medium={field.media}
          add={(file) =>
            (multiple || latest.current.length === 0) && add([file])
          }
        />
      )}
    </div>
  );
}

interface DropZoneProps {
  field: Field;
  id: string;
  describedBy: string;
  multiple: boolean;
  invalid: boolean;
  compact: boolean;
  add(files: Chosen[], folders?: string[]): void;
}

function DropZone(props: DropZoneProps) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const choose = (list: FileList | null) => {
    if (list && list.length > 0) props.add([...list]);
    // An input reports no change if the previous file is chosen again.
    if (input.current) input.current.value = "";
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const { files, folders } = splitFolders(event.dataTransfer);
    const result = resultIn(event.dataTransfer);
    if (result) props.add([result]);
    else if (files.length > 0 || folders.length > 0) props.add(files, folders);
  };
  const hover = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const [first, further] = props.multiple
    ? ["Choose files, or drop them here", "Add more"]
    : ["Choose a file, or drop it here", "Choose another file"];
  return (
    <label
      class="drop"
      data-over={over}
      data-target={isTarget(props.field)}
      data-compact={props.compact}
      onDrop={drop}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
    >
      <input
        ref={input}
        type="file"
        class="unseen"
        id={props.id}
        name={props.field.name}
        accept={props.field.accept}
        multiple={props.multiple}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid}
        onChange={(event) => choose(event.currentTarget.files)}
      />
      <Icon icon={UploadIcon} />
      <span>{props.compact ? further : first}</span>
    </label>
  );
}
