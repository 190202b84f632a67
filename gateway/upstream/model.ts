// A model of a provider: it starts jobs, and reads their states.
import type { Capabilities, CapabilityName } from "mediagate";

export type Json =
  | null
  | boolean
  | number
  | string
  | Json[]
  | { [name: string]: Json };

/** An object of JSON. `JSON.stringify` leaves out a member that is undefined. */
export type JsonObject = {
  readonly [name: string]:
    | Json
    | undefined
    | readonly (Json | undefined)[]
    | JsonObject;
};

export interface InputFile {
  /**
   * A URL that the provider can load, valid for 24 hours. If no provider reaches the bucket, as during
   * development, this is a `data:` URL. The private files of a request have at most 10 MB in all.
   */
  readonly url: string;
  /** The media type, such as `image/png`. */
  readonly type: string;
  /** The name that the caller gave the file. */
  readonly name: string;
  /** The size in bytes. */
  readonly size: number;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the URL, so that a file in a request of JSON is its URL. */
  toJSON(): string;
}

type OptionalOf<T, K extends keyof T> = undefined extends T[K]
  ? undefined
  : never;
type FilesName = `${string}file_ids` | "logo_file_id";
type ValueOf<T, K extends keyof T> = K extends FilesName
  ? readonly InputFile[]
  : K extends `${string}file_id`
    ? InputFile
    : K extends `${string}asset_id`
      ? string
      : NonNullable<T[K]>;

/**
 * The request of a capability, with its files instead of their ids. A field that the caller left out,
 * or set to null, is undefined.
 */
export type Input<C extends CapabilityName> = {
  readonly [K in keyof Capabilities[C] as Exclude<K, "model_id" | "title">]:
    | ValueOf<Capabilities[C], K>
    | OptionalOf<Capabilities[C], K>;
};

export type Output =
  /**
   * An address that the caller can load. If it contains a variable of the module, callers get an
   * address of the gateway instead. `type` is the media type, if it is known.
   */
  | { readonly url: string; readonly type?: string | undefined }
  /** A file that needs the provider's key: {@link Model.open} opens it by `file`. */
  | { readonly file: Json; readonly type: string };

/** A started job: its reference, or its outputs if it has ended already. */
export type Started = (
  | { readonly job: Json }
  | { readonly outputs: readonly Output[] }
) & {
  /** Sentences about what the model ignores. */
  readonly warnings?: readonly string[];
};

export type Status =
  | {
      readonly state: "QUEUED" | "RUNNING";
      /** From 0 to 1. */
      readonly progress?: number;
    }
  | {
      readonly state: "SUCCEEDED";
      readonly outputs: readonly Output[];
      /** Sentences about the outputs. */
      readonly warnings?: readonly string[];
    }
  | {
      /** `EXPIRED` if the provider no longer has the job or its outputs. */
      readonly state: "FAILED" | "EXPIRED";
      /** The provider's sentence. */
      readonly message: string;
      /** Set if the provider refuses the content. */
      readonly reason?: "content_refused" | undefined;
    };

/** The variables of the module: its secrets, such as the provider's key. */
export type Env = { readonly [name: string]: unknown };

/**
 * A model of a provider, for one capability. Each function sends a request once and never repeats it.
 * It throws a `ProviderError` for any response that does not describe a job.
 */
export interface Model<C extends CapabilityName = CapabilityName> {
  /** The provider's name, for the gateway's log. */
  readonly provider: string;
  /** The model's name at the provider. */
  readonly name: string;
  /** The variables that the model needs, such as `FAL_KEY`. */
  readonly variables?: readonly string[];
  /**
   * Starts a job by one `POST`, which may be charged.
   *
   * @param ready - Call this when the input was read, before the `POST`. It throws if neither `url` nor
   * `bytes` of a file was read, so such a request is refused before it costs.
   * @throws {ProviderError} With a status from 400 to 499, if no job was started: 422 refuses a request
   * with a sentence. Any other exception leaves open if a job runs.
   */
  start(input: Input<C>, env: Env, ready: () => void): Promise<Started>;
  status(job: Json, env: Env): Promise<Status>;
  /** Opens an output that needs the provider's key. `request` has the method and the headers. */
  open?(file: Json, request: Request, env: Env): Promise<Response>;
  /** Stops a job, if it can still be stopped. */
  cancel?(job: Json, env: Env): Promise<void>;
  /** Returns the price of a job, in credits of the operator's choice. */
  estimate?(input: Input<C>, env: Env): Promise<number>;
}
