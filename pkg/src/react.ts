/**
 * `mediagate/react` has hooks for React 18 and newer, which is a peer dependency. They load no
 * WebAssembly: the client and the task that they take have.
 *
 * @module react
 */

export {
  type HistoryView,
  type StoredView,
  useHistory,
  useStoredTasks,
} from "./react/lists.js";
export { type Connected, useMedia } from "./react/media.js";
export {
  type PipelineView,
  type TaskView,
  usePipeline,
  useTask,
  type View,
} from "./react/updates.js";
export { type Upload, type UploadState, useUpload } from "./react/upload.js";
export {
  type ListedUpload,
  type Uploads,
  useUploads,
} from "./react/uploads.js";
