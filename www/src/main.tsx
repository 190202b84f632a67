/** Puts the page together, connects, and watches what was left running. */
import { render } from "preact";
import { App } from "./App";
import { client } from "./client";
import { resumeAll } from "./tasks/resume";
import "./style/index.css";

const root = document.getElementById("app");
if (root) render(<App />, root);

// A failure is shown by the page itself; see `connection`.
client().catch(() => undefined);
resumeAll();
