/** Preloaded into the Ponder process: its JSON-RPC requests reach the nodes through the pool of the whole product. */
import { replaceModule } from "./replace-module.ts";

replaceModule("rpc/http.js", new URL("./rpc-client.ts", import.meta.url).href);
