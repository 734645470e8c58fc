/** Where the text of a variable comes from: the environment, a file that it names, or the running local stack. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { PROXY } from "./upstreams.ts";
import { VARIABLES } from "./variables.ts";

export type Environment = Record<string, string | undefined>;

/** Environment of the running local stack, below DATA_DIR. */
export const STACK_FILE = "stack.env";

/** `NAME_FILE` names a file that holds the value of NAME, as container engines mount secrets. */
export const FILE_SUFFIX = "_FILE";
/** The variable whose value such a name gives; null for other names. */
export const givenByFile = (name: string): string | null => {
  const given = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : "";
  return given in VARIABLES ? given : null;
};

/** Text of a variable and the name that gives it; both undefined: not set. `problem`: a sentence that begins with that name. */
type Written = { from: string; text?: string; problem?: string };

const UNREADABLE: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "this process may not read it",
  EISDIR: "it is a directory",
};

function readText(from: string, path: string): Written {
  try {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? { from, problem: `${from} names ${path}, which is empty` } : { from, text };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { from, problem: `${from} names ${path}, which cannot be read: ${UNREADABLE[code] ?? message}` };
  }
}

/** Names of proxies are written in either case (https://everything.curl.dev/usingcurl/proxies/env.html). */
const textOf = (env: Environment, name: string): string | undefined =>
  env[name]?.trim() || (name in PROXY && env[name.toLowerCase()]?.trim()) || undefined;

/** What an environment says of a variable, directly or by a file. */
function writtenIn(env: Environment, name: string): Written {
  const byFile = name + FILE_SUFFIX;
  const [text, path] = [textOf(env, name), env[byFile]?.trim()];
  if (text && path) return { from: name, problem: `${name} and ${byFile} are both set: set one of them` };
  if (path) return readText(byFile, path);
  return text ? { from: name, text } : { from: name };
}

const isIn = (env: Environment, name: string): boolean => textOf(env, name) !== undefined;

/**
 * Where the values of variables come from.
 * @returns `read` what the environment, or else the running local stack, says of a variable; `has` whether one of them has
 *   an entry of this name, which may be one that ends in _FILE
 */
export function environmentOf(env: Environment = process.env, followStack = true) {
  const dataDir = resolve(writtenIn(env, "DATA_DIR").text ?? VARIABLES.DATA_DIR.default!);
  const stackFile = join(dataDir, STACK_FILE);
  const namesDatabase = ["DATABASE_URL", `DATABASE_URL${FILE_SUFFIX}`].some((name) => isIn(env, name));
  const stack = followStack && !namesDatabase && existsSync(stackFile) ? parseEnv(readFileSync(stackFile, "utf8")) : {};
  const sources: Environment[] = [env, stack];
  return {
    dataDir,
    read(name: string): Written {
      const source = sources.find((each) => isIn(each, name) || isIn(each, name + FILE_SUFFIX));
      return source ? writtenIn(source, name) : { from: name };
    },
    has: (name: string): boolean => sources.some((each) => isIn(each, name)),
  };
}
