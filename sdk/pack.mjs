/** Before `npm pack`: in a fresh clone, installs what the package is built with, and generates its types; then builds it. */
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

const here = new URL(".", import.meta.url);
const root = new URL("..", here);
/** Standard output is the name of the package, for `npm pack`. */
const run = (command, cwd) => execSync(command, { cwd, stdio: ["ignore", 2, 2] });

if (!existsSync(new URL("node_modules", root))) run("npm ci", root);
if (!existsSync(new URL("src/openapi.ts", here))) run("npm run prepare", root);
run("npm run build", here);
