import { Check } from "lucide";
import { formatBytes } from "mediagate/words";
import { Icon } from "../../parts/Icon";
import { useObjectUrl } from "../../parts/useObjectUrl";
import { Thumbnail } from "../../results/Thumbnail";
import { pageCount } from "../../words";
import { factsOf } from "../known";
import { uploadOf } from "../uploads";
import { ChosenItem, type ItemActions } from "./ChosenItem";
import { Sound } from "./Sound";

interface FileItemProps extends ItemActions {
  file: File;
  medium: string | undefined;
}

export function FileItem({ file, medium, ...actions }: FileItemProps) {
  const upload = uploadOf(file).value;
  const isSending = typeof upload === "number";
  const url = useObjectUrl(file);
  const type = file.type.split("/")[0];
  const isSound = type === "audio";
  const pdf = medium === "pdf" ? factsOf({ file, kind: medium }) : {};
  const cover = useObjectUrl(pdf.cover);
  const facts = (
    <>
      {formatBytes(file.size)}
      {pdf.pages !== undefined && ` · ${pageCount(pdf.pages)}`}
      {isSending && ` · ${Math.round(upload * 100)} %`}
      {upload === "received" && (
        <>
          {" · "}
          <Icon icon={Check} size={12} /> uploaded
        </>
      )}
    </>
  );
  return (
    <ChosenItem
      {...actions}
      name={file.name}
      preview={
        <Thumbnail
          class="preview"
          source={cover ? { url: cover, kind: "image" } : { url, kind: type }}
          medium={isSound ? type : medium}
        />
      }
      facts={facts}
      progress={
        isSending && (
          <progress value={upload} aria-label={`Upload of ${file.name}`} />
        )
      }
      player={isSound && <Sound url={url} name={file.name} />}
    />
  );
}
