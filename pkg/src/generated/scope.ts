// Written from `crates/core` by `cargo xtask generate`; edits are lost.

/** The words of a scope. The catalogue's paths would be a sixth of a server's bundle. */
export const SCOPE_WORDS = [
  "text_to_image",
  "text_to_image_turbo",
  "text_driven",
  "audio_driven",
  "omni_reference_to_video",
  "image_to_video",
  "image_audio_driven",
  "mv_director",
  "text_to_video",
  "split_video",
  "object_removal_by_prompt",
  "subtitle_removal",
  "resize_video",
  "add_audio_to_video",
  "video_logo_removal",
  "background_removal",
  "head_swap",
  "merge_pdf",
  "split_pdf",
  "adjust_audio_volume",
  "generate:*",
  "process:*",
  "upload",
  "mcp",
] as const;
