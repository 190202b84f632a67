/** Renders the page, connects, and resumes the tasks that were not over. */
import { render } from "preact";
import { App } from "./App";
import { client } from "./client";
import { resumeAll } from "./tasks/resume";
import "./style/index.css";

const root = document.getElementById("app");
if (root) render(<App />, root);

// The page shows a failure; see `connection`.
client().catch(() => undefined);
void resumeAll();
