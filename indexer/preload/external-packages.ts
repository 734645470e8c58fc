/**
 * Preloaded into the Ponder process: Node loads packages without a compile step. Ponder compiles `src/` with vite-node,
 * which treats a package folder named `esm` as something that Node cannot load. It would compile Ponder itself and all of
 * GraphQL, 400 files, at every start, in addition to the copies that already run.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PONDER_ROOT } from "./ponder-package.ts";

const { resolve } = createRequire(join(PONDER_ROOT, "package.json"));
const serverPath = resolve("vite-node/server").replace(/cjs$/, "mjs");
const { ViteNodeServer } = await import(pathToFileURL(serverPath).href);
const { shouldExternalize } = ViteNodeServer.prototype;
ViteNodeServer.prototype.shouldExternalize = function externalizePackages(id: string) {
  return id.includes("/node_modules/") ? Promise.resolve(id) : shouldExternalize.call(this, id);
};
