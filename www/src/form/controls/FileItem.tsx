/** One chosen file: its preview, name, size and upload progress. */
import { ArrowUp, Check, X } from "lucide";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/Icon";
import { iconOf } from "../../parts/media";
import { useFocusAfter } from "../../parts/useFocusAfter";
import { useObjectUrl } from "../../parts/useObjectUrl";
import { bytes } from "../../words";
import { uploadOf } from "../uploads";

interface FileItemProps {
  file: File;
  medium: string | undefined;
  remove(): void;
  /** Moves it up; `undefined` for the first file. */
  raise: (() => void) | undefined;
  invalid: boolean;
}

export function FileItem({ file, medium, remove, raise, invalid }: FileItemProps) {
  const upload = uploadOf(file).value;
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(item, (it) => [
    ...[it.nextElementSibling, it.previousElementSibling].map((one) => one?.querySelector("button:last-of-type")),
    it.closest(".picker")?.querySelector("input[type=file]"),
  ]);
  return (
    <li ref={item} class="item" data-invalid={invalid}>
      <Preview file={file} medium={medium} />
      <div class="about">
        <span class="name" dir="auto" title={file.name}>
          {file.name}
        </span>
        <span class="facts">
          {bytes(file.size)}
          {upload.phase === "sending" && ` · ${Math.round(upload.share * 100)} %`}
          {upload.phase === "sent" && (
            <>
              {" · "}
              <Icon of={Check} size={12} /> uploaded
            </>
          )}
        </span>
        {upload.phase === "sending" && <progress value={upload.share} aria-label={`Upload of ${file.name}`} />}
      </div>
      {raise && <Raise name={file.name} raise={raise} />}
      <button type="button" class="quiet square" aria-label={`Remove ${file.name}`} onClick={remove}>
        <Icon of={X} />
      </button>
      {file.type.startsWith("audio/") && <Sound file={file} />}
    </li>
  );
}

/** The first file has none, so that the focus then stays with the file. */
function Raise({ name, raise }: { name: string; raise(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button, (it) => [it.nextElementSibling]);
  return (
    <button ref={button} type="button" class="quiet square" aria-label={`Move ${name} up`} onClick={raise}>
      <Icon of={ArrowUp} />
    </button>
  );
}

function Preview({ file, medium }: { file: File; medium: string | undefined }) {
  const url = useObjectUrl(file);
  const type = file.type.split("/")[0];
  if (type === "image") return <img class="preview checkered" src={url} alt="" />;
  if (type === "video") return <video class="preview" src={url} muted playsInline preload="metadata" />;
  return (
    <span class="preview">
      <Icon of={iconOf(type === "audio" ? type : medium)} size={20} />
    </span>
  );
}

/** A sound has a player instead of a preview. */
function Sound({ file }: { file: File }) {
  // biome-ignore lint/a11y/useMediaCaption: the person's own file, which has no captions
  return <audio src={useObjectUrl(file)} controls preload="metadata" aria-label={file.name} />;
}
