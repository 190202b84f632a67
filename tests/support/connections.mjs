// Lets `fetch` reuse a connection only briefly. By default it keeps one for 4 s, and workerd closes
// one that is idle for 5 s: on a slow machine these meet, and a request fails.
import { Agent, setGlobalDispatcher } from "undici";

setGlobalDispatcher(new Agent({ keepAliveTimeout: 1_000 }));
