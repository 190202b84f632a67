/** The extensions of media types whose subtype is not an extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/wave": "wav",
  "audio/x-m4a": "m4a",
  "audio/x-wav": "wav",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "text/plain": "txt",
  "video/mpeg": "mpg",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/x-msvideo": "avi",
};

/**
 * Returns the extension of the files of a media type, without a dot; `undefined` if the type does
 * not name one, such as `application/octet-stream`.
 */
export function extensionOf(type: string): string | undefined {
  const [plain = ""] = type.toLowerCase().trim().split(/\s*;/, 1);
  const [medium, subtype] = plain.split("/");
  const isNamed =
    /^(audio|image|video)$/.test(medium ?? "") || plain === "application/pdf";
  return (
    EXTENSIONS[plain] ?? (isNamed ? subtype?.replace(/^x-/, "") : undefined)
  );
}

/** Returns a media type without the codecs of a recording, which the gateway does not know. */
export function withoutCodecs(type: string): string {
  return type.replace(/;\s*codecs=("[^"]*"|[^;]*)/i, "").trim();
}
