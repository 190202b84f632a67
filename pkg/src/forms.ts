/**
 * `mediagate/forms` helps to build forms: the types of `mediagate/catalogue.json`, the values,
 * assets and prices to show, and the fields for a file. It compares an input with its files and its
 * model, and parses and formats page ranges, times and volumes. It loads no WebAssembly.
 *
 * @module forms
 */

export {
  type Capability,
  type CapabilitySection,
  type Catalogue,
  capabilitySections,
  type Field,
  type FieldKind,
  type FieldOf,
  type FormCapability,
  fieldsFor,
  outputKind,
} from "./forms/catalogue.js";
export {
  freeField,
  kindOfType,
  type SortedFiles,
  sortFiles,
  takesType,
} from "./forms/drop.js";
export { type FormField, sourceField } from "./forms/fields.js";
export {
  checkFiles,
  type FileToInspect,
  filesToInspect,
} from "./forms/files.js";
export { mergeIssues } from "./forms/merge.js";
export { checkModel } from "./forms/model.js";
export {
  type ListedAsset,
  modelFor,
  modelsFor,
  offeredAssets,
  offeredValues,
} from "./forms/models.js";
export { isEmulated, isOffered } from "./forms/offers.js";
export { pagesIn, tidyPages, togglePage } from "./forms/pageRange.js";
export { type Price, planOf, priceFor, priceOf } from "./forms/price.js";
export { formatTime, parseTime } from "./forms/time.js";
export { defaultValues, filledValues, isWithoutArea } from "./forms/values.js";
export {
  convertVolume,
  formatVolume,
  NEUTRAL_VOLUME,
  parseVolume,
  VOLUME_SCALES,
  type Volume,
  type VolumeScale,
  type VolumeUnit,
} from "./forms/volume.js";
export type { FileFacts } from "./types/facts.js";
export type { Issue } from "./types/issues.js";
