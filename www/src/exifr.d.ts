/** The small build of the library has no types of its own. */
declare module "exifr/dist/mini.esm.mjs" {
  export { orientation } from "exifr";
}
