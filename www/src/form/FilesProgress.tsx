/** The uploaded share of all bytes. It has no value if this page uploads none of the files. */
import { shareOf, uploadOf } from "./uploads";

export function FilesProgress({
  files,
  label,
}: {
  files: readonly File[];
  label: string;
}) {
  const uploads = files.map((file) => uploadOf(file).value);
  // Another tab uploads the files, and this one does not get the progress.
  if (uploads.every((upload) => upload === undefined))
    return <progress aria-label={label} />;
  const sent = uploads.filter((upload) => upload === "received").length;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const bytes = files.reduce(
    (sum, { size }, index) => sum + size * shareOf(uploads[index]),
    0,
  );
  const share = bytes / Math.max(total, 1);
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
