// The parts of pdf-lib that copy pages. `scripts/build.mjs` bundles them into this file of `dist`.
export {
  PDFArray,
  PDFCatalog,
  PDFContext,
  PDFDict,
  PDFName,
  type PDFObject,
  PDFObjectCopier,
  PDFObjectStreamParser,
  PDFPageLeaf,
  PDFPageTree,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFStreamWriter,
  PDFXRefStreamParser,
} from "@cantoo/pdf-lib";
export { Unzlib } from "fflate";
