// Each optional member may be `undefined`, for apps that are compiled with
// `exactOptionalPropertyTypes`.
import type {
  CallOptions,
  Capabilities,
  CapabilityName,
  ConnectOptions,
  CreateOptions,
  HistoryEntry,
  Issue,
  ListOptions,
  LoadOptions,
  Media,
  MediagateError,
  MiddlewareRequest,
  Model,
  ModelCatalogue,
  Output,
  PipelineEntry,
  PipelineOptions,
  PipelinePage,
  PipelineSnapshot,
  Region,
  RequestLog,
  SavedTask,
  StepInput,
  StepOptions,
  StepSnapshot,
  TaskError,
  TaskPage,
  TaskSnapshot,
  UploadOptions,
  UsableAsset,
} from "mediagate";
import type {
  GenerationOptions,
  GenerationState,
  MediaProviderProps,
  RunOptions,
  SourceOptions,
  UploadState,
} from "mediagate/react";
import type {
  Budget,
  ExpressRequest,
  ExpressResponse,
  SessionOptions,
  WebhookRequest,
  WebhookTask,
} from "mediagate/server";
import type { StoredCreateOptions, StoreOptions } from "mediagate/store";

/** The names of the optional members that cannot be `undefined`. */
type Strict<T> = T extends unknown
  ? {
      [Name in keyof T]-?: object extends Pick<T, Name>
        ? undefined extends Required<T>[Name]
          ? never
          : Name
        : never;
    }[keyof T]
  : never;

type Inputs = {
  [Name in CapabilityName]:
    | Strict<Capabilities[Name]>
    | Strict<StepInput<Name>>;
}[CapabilityName];

type Names =
  | Inputs
  | Strict<CallOptions | LoadOptions | CreateOptions | UploadOptions>
  | Strict<ListOptions | PipelineOptions | StepOptions>
  | Strict<StoreOptions | StoredCreateOptions>
  | Strict<SessionOptions | WebhookRequest | WebhookTask>
  | Strict<ExpressRequest | ExpressResponse>
  | Strict<TaskSnapshot | TaskError | SavedTask | Output | Region>
  | Strict<PipelineSnapshot | StepSnapshot | UploadState | GenerationState>
  | Strict<GenerationOptions | RunOptions | SourceOptions | MediaProviderProps>
  | Strict<TaskPage | PipelinePage | HistoryEntry | PipelineEntry>
  | Strict<RequestLog | MiddlewareRequest | Issue | MediagateError>
  | Strict<Model | ModelCatalogue | UsableAsset>;

// The platform's own errors have `stack`.
export const none: Names extends "stack" ? true : false = true;

/** A token and a limit that are missing by mistake must not count as none. */
export const strict: [Strict<ConnectOptions>, Strict<Budget>] = [
  "token",
  "inFlight",
];
// @ts-expect-error all other options may be `undefined`
export const other: Strict<ConnectOptions> = "fetch";

export async function passes(media: Media): Promise<void> {
  await media.upload(new Blob(), {
    name: undefined,
    signal: undefined,
    size: undefined,
  });
  const size = { width: 640, height: undefined, other: undefined };
  await media.videoLogoRemoval({
    input_video_file_id: "f",
    video_size: size,
    title: undefined,
  });
}
