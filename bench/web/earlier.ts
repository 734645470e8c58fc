/** The local stack of an earlier revision: its files in a folder of their own, with packages of its own where they are others. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../harness/scratch.ts";
import { type Stack, startStack } from "../../harness/stack.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";

/** @param revision as git names it @throws Error when git does not know it, or its stack does not start */
export async function startEarlier(revision: string): Promise<Stack> {
  const root = join(scratchDirectory("earlier", { onDisk: true }), "files");
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: PROJECT_ROOT, stdio: ["ignore", "ignore", "pipe"] });
  const clear = () => {
    git("worktree", "remove", "--force", root);
    rmSync(join(root, ".."), { recursive: true, force: true });
  };
  git("worktree", "add", "--detach", root, revision);
  try {
    const lockOf = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
    if (lockOf(root) === lockOf(PROJECT_ROOT))
      symlinkSync(join(PROJECT_ROOT, "node_modules"), join(root, "node_modules"));
    else execFileSync("npm", ["ci", "--loglevel", "error"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
    const stack = await startStack({ root, args: [], env: { PRICING_PHASE: "" } });
    return { ...stack, remove: () => stack.remove().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
}
