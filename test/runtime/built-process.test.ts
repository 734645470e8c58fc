/** Processes of the build: what their error stacks name, and that a changed source is never run from an old build. */
import { execFile } from "node:child_process";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { inputsOf, inputsUnchanged } from "../../runtime/build-inputs.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { folderPerFile } from "../support/folders.ts";

const SOURCE = `type Words = { text: string };
export function thrower(words: Words): never {
  throw new Error(words.text, { cause: new TypeError("below") });
}
`;

const folder = folderPerFile("built");

describe("a stack of the build", () => {
  it("names the source's file, line and column, its own frames only, and the error as ever", async () => {
    writeFileSync(join(folder, "thrower.ts"), SOURCE);
    const bundle = await rolldown({ input: join(folder, "thrower.ts"), platform: "node" });
    const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
    await bundle.write({ dir: join(folder, "dist"), format: "esm", sourcemap: true, minify });
    await bundle.close();
    const begin = pathToFileURL(join(PROJECT_ROOT, "runtime/built-process.ts")).href;
    const script = `
      import { beginBuiltProcess } from ${JSON.stringify(begin)};
      const folder = ${JSON.stringify(join(folder, "dist"))};
      beginBuiltProcess(folder);
      const { thrower } = await import(folder + "/thrower.js");
      try { thrower({ text: "loud" }); } catch (error) { console.log(JSON.stringify([error.stack, error.cause.stack])); }
      const odd = Object.create(Error.prototype, { name: { get() { throw 1; } } });
      Error.captureStackTrace(odd);
      console.log(JSON.stringify(odd.stack.split("\\n")[0]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    const [[stack, cause], odd] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const source = pathToFileURL(join(folder, "thrower.ts")).href;
    expect(stack.split("\n").slice(0, 2)).toEqual(["Error: loud", `    at thrower (${source}:3:9)`]);
    expect(stack).toMatch(/\n {4}at .*\[eval1\]:\d+:\d+/);
    expect(cause.split("\n").slice(0, 2)).toEqual(["TypeError: below", `    at thrower (${source}:3:40)`]);
    expect(odd).toBe("Error");
  });
});

describe("a build", () => {
  it("is fresh until one of its inputs is written, grows, or is gone", () => {
    const file = join(folder, "input.ts");
    writeFileSync(file, "one");
    const before = inputsOf(["input.ts"], folder);
    expect(inputsUnchanged(before, folder)).toBe(true);
    utimesSync(file, new Date(), new Date(Date.now() - 60_000));
    // Older than before is changed as well: another version was checked out.
    expect(inputsUnchanged(before, folder)).toBe(false);
    const again = inputsOf(["input.ts"], folder);
    writeFileSync(file, "four");
    expect(inputsUnchanged(again, folder)).toBe(false);
    rmSync(file);
    expect(inputsUnchanged(again, folder)).toBe(false);
  });
});
