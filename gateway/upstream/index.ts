/**
 * An upstream module: a Worker in front of any provider, which speaks the media service's API to the
 * gateway.
 *
 * @module mediagate-gateway/upstream
 */
export { type FalEndpoint, falModel } from "./fal.js";
export {
  type GeminiRequest,
  geminiModel,
  type VeoRequest,
  veoModel,
} from "./google.js";
export type {
  Env,
  Input,
  InputFile,
  Json,
  JsonObject,
  Model,
  Output,
  Started,
  Status,
} from "./model.js";
export {
  addressesIn,
  filesIn,
  ProviderError,
  type ProviderRequest,
  requestJson,
  streamFile,
  variable,
} from "./provider.js";
export { replicateModel } from "./replicate.js";
export { type RunwayRequests, runwayModel } from "./runway.js";
export { type SdkModel, type SdkRequest, sdkModel } from "./sdk.js";
export {
  type Accepts,
  type Choice,
  type Offer,
  type Offers,
  type UpstreamWorker,
  upstream,
} from "./upstream.js";
export {
  type OpenAiVideoRequest,
  openAiVideos,
  type VideoRequest,
  type VideosOptions,
} from "./videos.js";
