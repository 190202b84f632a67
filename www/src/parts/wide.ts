/** The layout of the page: from 1,024 px on, the stage is beside the form; see style/layout.css. */
import { signal } from "@preact/signals";

const query = matchMedia("(min-width: 1024px)");

export const wide = signal(query.matches);

query.addEventListener("change", () => (wide.value = query.matches));
