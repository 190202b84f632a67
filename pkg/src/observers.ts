/**
 * `mediagate/observers` has states that change, for interfaces in any framework, each with
 * `subscribe` and `getSnapshot`. They load no WebAssembly: the client that they take has. The entries
 * for React, Vue, Svelte and Solid stand on them.
 *
 * @module observers
 */

export {
  type ConnectionActions,
  type ConnectionObserver,
  type ConnectionState,
  type MediaSource,
  observeConnection,
} from "./observers/connection.js";
export {
  type Estimated,
  type ReceivedEta,
  receivedEta,
  type TimeLeft,
  type TimeLeftOptions,
  timeLeft,
} from "./observers/countdown.js";
export type { View } from "./observers/follow.js";
export {
  type GenerationActions,
  type GenerationObserver,
  type GenerationOptions,
  type GenerationState,
  type GenerationStatus,
  observeGeneration,
  type RunOptions,
} from "./observers/generation.js";
export {
  type HistoryActions,
  type HistoryObserver,
  type HistoryState,
  observeHistory,
} from "./observers/history.js";
export type { Observer } from "./observers/observer.js";
export type { StoreOption } from "./observers/restoring.js";
export {
  observeStoredTasks,
  type StoredOptions,
  type StoredState,
} from "./observers/stored.js";
export {
  observeUpload,
  type UploadActions,
  type UploadObserver,
  type UploadState,
} from "./observers/upload.js";
export {
  type ListedUpload,
  observeUploads,
  type UploadsActions,
  type UploadsObserver,
  type UploadsState,
} from "./observers/uploads.js";
export {
  observePipeline,
  observeTask,
  type PipelineObserver,
  type PipelineView,
  type TaskObserver,
  type TaskView,
  type ViewActions,
  type ViewObserver,
} from "./observers/view.js";
