// Lets each `fetch` have a connection of its own. workerd closes a connection that is idle for 5 s,
// and on a slow machine it may do so although the next request has already been sent.
import { Agent, setGlobalDispatcher } from "undici";

setGlobalDispatcher(new Agent({ pipelining: 0 }));
