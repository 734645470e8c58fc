/** Code blocks of documents, run as they stand there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

/**
 * The code block of a document that follows a heading.
 * @param path below the project's root
 */
export function snippetOf(path: string, heading: string): string {
  const text = readFileSync(join(PROJECT_ROOT, path), "utf8");
  const block = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  const code = block && /^```\w+\n(.*?)^```$/ms.exec(block)?.[1];
  if (!code) throw new Error(`${path} has no code below the heading ${heading}`);
  return code;
}

/**
 * Runs JavaScript of a document, whose imports come from `modules`, with `values` as its free names.
 * @returns what the variable `result` is afterwards
 */
export async function runSnippet(
  code: string,
  { modules, values, result }: { modules: Record<string, object>; values: Record<string, unknown>; result: string },
): Promise<unknown> {
  const body = code.replace(/^import (\{[^}]*\}) from "([^"]+)";$/gm, 'const $1 = modules["$2"];');
  const names = ["modules", ...Object.keys(values)];
  const AsyncFunction = (async () => {}).constructor as new (
    ...of: string[]
  ) => (...args: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...names, `${body}\nreturn ${result};`)(modules, ...Object.values(values));
}
