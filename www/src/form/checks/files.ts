/** Checks the chosen files themselves, so that an unreadable file is not uploaded in vain. */
import type { Issue } from "mediagate";
import type { Facts } from "./facts";
import { error, warning } from "./issue";

export function checkFile(
  path: string,
  { problem }: Facts,
  media: string,
): Issue[] {
  if (problem === "locked")
    return [
      error(
        path,
        "malformed",
        "has a password. Remove the password, or choose another file.",
      ),
    ];
  if (problem !== "damaged") return [];
  if (media === "pdf")
    return [
      error(path, "malformed", "cannot be read as a PDF. Choose another file."),
    ];
  // A browser may also refuse a picture for its size, so this is only a warning.
  return [
    warning(
      path,
      "malformed",
      "cannot be shown by this browser, and may be damaged.",
    ),
  ];
}
