import { render } from "preact";
import { App } from "./App";
import { reconnect } from "./client";
import { listenForKeys } from "./finder/keys";
import { fillFromAddress } from "./form/link";
import { loadModels } from "./form/models";
import { loadOffers } from "./offers";
import { onBack } from "./parts/online";
import { followEnds } from "./tasks/ended";
import { followHistory } from "./tasks/history";
import { resumeAll } from "./tasks/resume";
import "./style/index.css";

const root = document.getElementById("app");
if (root) render(<App />, root);

listenForKeys();
fillFromAddress();
addEventListener("hashchange", fillFromAddress);
reconnect();
void resumeAll();
followHistory();
followEnds();
onBack(loadModels);
onBack(loadOffers);
