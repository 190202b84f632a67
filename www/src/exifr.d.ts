/** The types of the library's small build, which has none. */
declare module "exifr/dist/mini.esm.mjs" {
  export { orientation } from "exifr";
}
