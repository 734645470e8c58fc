/** Where the project lies. Every file that is found by its path (migrations, fonts, contracts, the terminal) is found from here. */
import { join } from "node:path";

/** The directory of package.json. Both runtime/ (sources) and dist/ (the build, flat) are directly below it. */
export const PROJECT_ROOT = join(import.meta.dirname, "..");
