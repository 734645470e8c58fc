/** `npm run bench -- <name> [options]`: runs one benchmark of this folder, or all of them in turn. */
import { readdirSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { buildWhenStale } from "../scripts/build.ts";

const [name, ...args] = process.argv.slice(2);
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -3));
const chosen = name && !name.startsWith("-") ? [name] : all;
const options = name?.startsWith("-") ? [name, ...args] : args;
console.log(
  `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
);
// What is measured is what ships: processes run from the build, as in the image and in `npm start`.
await buildWhenStale();
for (const bench of chosen) {
  if (!all.includes(bench)) {
    console.error(`There is no benchmark "${bench}". There are: ${all.join(", ")}.`);
    process.exit(1);
  }
  console.log(`\n# ${bench}\n`);
  const { default: run } = (await import(`./${bench}.ts`)) as { default: (args: string[]) => Promise<void> };
  await run(options);
}
process.exit(0);
