// The catalogue of the playground.
import catalogue from "mediagate/catalogue.json" with { type: "json" };

/** The capabilities of the media service's document, which a gateway offers by default. */
export const documented = catalogue.capabilities.filter(
  (capability) => !capability.extension,
);
