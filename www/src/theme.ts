/** Light or dark colours, as on the device until a person chooses. */
import { effect, signal } from "@preact/signals";
import { readLocal, writeLocal } from "./parts/local";

export type Theme = "system" | "light" | "dark";

const NEXT: Record<Theme, Theme> = {
  system: "light",
  light: "dark",
  dark: "system",
};

export const theme = signal<Theme>(read());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function changeTheme(): void {
  theme.value = NEXT[theme.value];
  writeLocal("theme", theme.value);
}

function read(): Theme {
  const stored = readLocal("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}
