/** The folder of the project. Files that are found by their path (migrations, fonts, contracts, the terminal) are found from here. */
import { join } from "node:path";

/** The directory of package.json. Both runtime/ (sources) and dist/ (the build, flat) are directly below it. */
export const PROJECT_ROOT = join(import.meta.dirname, "..");
