/** Files of the product that name one platform or registry: what somebody would have to change to add another. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PRODUCT =
  "{api,card-renderer,clients,columns,config,core,db,devnet,indexer,ops,runtime,scripts,settlement,src,web/src,wiring,workers}/**/*.{ts,tsx}";

/** Paths of the files whose code, comments left out, has the name in any case. */
export const namedIn = (name: string): string[] =>
  globSync(PRODUCT, { cwd: ROOT })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => {
      const text = readFileSync(join(ROOT, path), "utf8");
      const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
      return code.toLowerCase().includes(name.toLowerCase());
    })
    .sort();
