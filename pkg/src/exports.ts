// The types and the classes that every entry exports.

export {
  type ClientCode,
  type ErrorCode,
  isMediagateError,
  type KnownError,
  MediagateError,
  type Outcome,
} from "./error.js";
export type {
  AddAudioToVideoInput,
  AdjustAudioVolumeInput,
  AssetInput,
  AudioDrivenInput,
  BackgroundRemovalInput,
  Capabilities,
  CapabilityInfo,
  CapabilityMethod,
  CapabilityMethods,
  CapabilityName,
  FileInput,
  FileUrl,
  HeadSwapInput,
  ImageAudioDrivenInput,
  ImageToVideoInput,
  IssueReason,
  MergePdfInput,
  MvDirectorInput,
  ObjectRemovalByPromptInput,
  OmniReferenceToVideoInput,
  OrStep,
  OutputReference,
  RefusalReason,
  Region,
  ResizeVideoInput,
  Segment,
  SplitPdfInput,
  SplitVideoInput,
  Step,
  StepFields,
  StepInput,
  StepKind,
  StepMethods,
  StepReference,
  SubtitleRemovalInput,
  TaskReference,
  TextDrivenInput,
  TextToImageInput,
  TextToImageTurboInput,
  TextToVideoInput,
  VideoLogoRemovalInput,
  VideoSize,
} from "./generated/capabilities.js";
export type { CompiledModule, Loadable, WasmSource } from "./loading.js";
export type { Media } from "./media.js";
export type { Pipeline } from "./pipeline.js";
export type { Pipelines } from "./pipelines.js";
export type { Task } from "./task.js";
export type { Tasks } from "./tasks.js";
export type * from "./types/calls.js";
export type * from "./types/history.js";
export type * from "./types/hooks.js";
export type * from "./types/issues.js";
export type * from "./types/load.js";
export type * from "./types/models.js";
export type * from "./types/pipeline.js";
export type * from "./types/task.js";
