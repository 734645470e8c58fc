/** `npm run trial -- load [L1 L3 … --short]`: load tests against their goals; L2 is `npm run bench -- directory --load`, L6 `npm run trial -- soak`. */
import { cpus, loadavg } from "node:os";
import { tableOf } from "../bench/load/check.ts";
import { startWorld } from "../bench/load/service.ts";
import { LOAD_TESTS } from "../bench/load/tests.ts";
import { commandLine, refuse, WITH_SHORT } from "../harness/options.ts";
import { buildWhenStale } from "./build.ts";

const { words: names, others } = commandLine({}, WITH_SHORT);
for (const name of names) if (!(name in LOAD_TESTS)) refuse(`There is no load test "${name}".`);
// As in the image and in `npm start`.
await buildWhenStale();
const world = await startWorld(20_000);
let met = true;
try {
  for (const [name, { title, ...test }] of Object.entries(LOAD_TESTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const load = loadavg()[0]!;
    const checks = await (others.short ? test.short(world) : test.run(world));
    met &&= checks.every((check) => check.met);
    console.log(`\n${name}: ${title} (${cpus().length} cores, load of the machine before ${load.toFixed(1)})`);
    console.log(tableOf(checks));
  }
} finally {
  await world.stop();
}
process.exit(met ? 0 : 1);
