/**
 * Preloaded into the Ponder process: packages are loaded by Node, as they are. Ponder compiles `src/` by vite-node,
 * which takes a package's folder named `esm` for something that Node cannot load: it would compile Ponder itself and all
 * of GraphQL with it, four hundred files, at every start, beside the copies that run already.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PONDER_ROOT } from "./ponder-package.ts";

const { resolve } = createRequire(join(PONDER_ROOT, "package.json"));
const serverPath = resolve("vite-node/server").replace(/cjs$/, "mjs");
const { ViteNodeServer } = await import(pathToFileURL(serverPath).href);
const { shouldExternalize } = ViteNodeServer.prototype;
ViteNodeServer.prototype.shouldExternalize = function asItIs(id: string) {
  return id.includes("/node_modules/") ? Promise.resolve(id) : shouldExternalize.call(this, id);
};
