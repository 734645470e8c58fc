/** Where the simulation's processes keep compiled code, set before anything looks: what is started a hundred times is compiled once. */
import { join } from "node:path";

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");
