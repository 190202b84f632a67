/** The share of all bytes of files that are uploaded; without a value where this page uploads none of them. */
import { uploadOf } from "./uploads";

export function FilesProgress({
  files,
  label,
}: {
  files: readonly File[];
  label: string;
}) {
  const uploads = files.map((it) => uploadOf(it).value);
  if (uploads.every((it) => it.phase === "waiting"))
    return <progress aria-label={label} />;
  const sent = uploads.filter((it) => it.phase === "sent").length;
  const share = uploads.reduce(
    (sum, it, index) => sum + sizeOf(files, index) * shareOf(it),
    0,
  );
  return (
    <div class="progress">
      <progress value={share} aria-label={label} />
      <p class="facts">
        {files.length > 1 && `${sent} of ${files.length} files · `}
        {Math.floor(share * 100)} %
      </p>
    </div>
  );
}

function sizeOf(files: readonly File[], index: number): number {
  const total = files.reduce((sum, it) => sum + it.size, 0);
  return (files[index]?.size ?? 0) / Math.max(total, 1);
}

function shareOf(upload: ReturnType<typeof uploadOf>["value"]): number {
  return upload.phase === "sending"
    ? upload.share
    : Number(upload.phase === "sent");
}
