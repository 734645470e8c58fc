/** Preloaded into the Ponder process: chain data of many blocks enters Ponder's cache in one statement of a few bytes. */
import { replaceModule } from "./replace-module.ts";

replaceModule("sync-store/index.js", new URL("./sync-store.ts", import.meta.url).href);
