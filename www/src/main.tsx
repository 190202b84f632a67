import { render } from "preact";
import { App } from "./App";
import { reconnect } from "./client";
import { listenForKeys } from "./finder/keys";
import { fillFromAddress } from "./form/link";
import { loadModels, loadOffers } from "./offers";
import { onBack } from "./parts/online";
import { followPipelines } from "./pipelines/store";
import { followGateway } from "./reachable";
import { followChoices } from "./stage/shown";
import { followEnds } from "./tasks/ended";
import { followHistory } from "./tasks/history";
import { resumeCreates } from "./tasks/rerun";
import { followStore } from "./tasks/store";
import { discardExpired } from "./tasks/undo";
import { watchTasks } from "./tasks/watch";
import "./style/index.css";

const root = document.getElementById("app");
if (root) {
  // The frame of `index.html` has nothing that the page could reuse.
  root.replaceChildren();
  render(<App />, root);
}

listenForKeys();
fillFromAddress();
addEventListener("hashchange", fillFromAddress);
reconnect();
followGateway();
followChoices();
followStore();
watchTasks();
followPipelines();
resumeCreates();
void discardExpired();
followHistory();
followEnds();
onBack(loadModels);
onBack(loadOffers);
