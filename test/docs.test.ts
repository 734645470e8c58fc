/** The documents point at what exists: links, anchors, pictures, source paths; and the code at documents that exist. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOREIGN = new Set(["gate-log", "node_modules", "dist", ".git", ".data", ".ponder", "generated"]);
const files = globSync("**/*", { cwd: ROOT, exclude: (path) => FOREIGN.has(basename(path)) }).map((path) =>
  path.replaceAll("\\", "/"),
);
const names = new Set(files.map((path) => basename(path)));
const rooms = new Set(files.filter((path) => !path.includes("/") && statSync(join(ROOT, path)).isDirectory()));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const documents = files.filter((path) => path.endsWith(".md"));

/** A file or folder of the repository, or one that a build makes. */
const exists = (path: string) => existsSync(join(ROOT, path)) || path.split("/").some((part) => FOREIGN.has(part));

/** The text outside of fenced blocks, where a # is a comment and brackets are code. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const titles = [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.replaceAll(/[`*]/g, ""));
  const seen = new Map<string, number>();
  return new Set(
    titles.map((title) => {
      const anchor = title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-");
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    }),
  );
}

/** Links and pictures of a document to files of the repository or to its own headings that do not exist. */
function deadLinksOf(path: string, text: string): string[] {
  const targets = [...prose(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.filter((target) => {
    const [file, anchor] = target.split("#");
    const to = file === "" ? path : join(dirname(path), file!);
    if (normalize(to) !== "." && !exists(to)) return true;
    return anchor !== undefined && !anchorsOf(file === "" ? text : read(to)).has(anchor);
  });
}

/** Source files and folders that a document names and that do not exist, from the root or from the document's folder. */
function deadPathsOf(path: string, text: string): string[] {
  const sources = [
    ...text.matchAll(/(?<![\w/.*<{-])[\w.-]+(?:\/[\w.-]+)*\.(?:ts|tsx|sol|sql|yml|yaml)\b(?![\w*-])/g),
  ].map(([source]) => source);
  const spans = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)]
    .map(([, span]) => span!)
    .filter((span) => span.includes("/") && rooms.has(span.split("/")[0]!));
  return [...new Set([...sources, ...spans])].filter(
    (named) => !exists(named) && !exists(join(dirname(path), named)) && (named.includes("/") || !names.has(named)),
  );
}

describe("documents", () => {
  it("link to files and headings that exist", () => {
    const dead = documents.flatMap((path) => deadLinksOf(path, read(path)).map((target) => `${path}: ${target}`));
    expect(dead).toEqual([]);
  });

  it("name source files and folders that exist", () => {
    const dead = documents.flatMap((path) => deadPathsOf(path, read(path)).map((named) => `${path}: ${named}`));
    expect(dead).toEqual([]);
  });

  it("show every picture of docs/screens", () => {
    const pictures = files.filter((path) => path.startsWith("docs/screens/"));
    const shown = documents.flatMap((path) => read(path).match(/screens\/[\w-]+\.jpg/g) ?? []);
    expect(new Set(pictures)).toEqual(new Set(shown.map((path) => `docs/${path}`)));
  });

  it("are all reached from README.md", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached) {
      const links = prose(read(path)).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g);
      for (const [, target] of links) {
        const to = normalize(join(dirname(path), target!)).replaceAll("\\", "/");
        if (to.endsWith(".md") && existsSync(join(ROOT, to))) reached.add(to);
      }
    }
    const notes = /^(test|harness|contracts|bench)\//;
    expect(documents.filter((path) => !reached.has(path) && !notes.test(path))).toEqual([]);
  });

  it("are what comments, rules and configuration name", () => {
    const sources = files.filter((path) => /\.(ts|tsx|ya?ml|json|sh|sol)$/.test(path) && path !== "test/docs.test.ts");
    const dead = sources.flatMap((path) =>
      [...read(path).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.(?:md|png)(?:#([\w-]+))?/g)]
        .filter(([named, anchor]) => {
          const file = named.split("#")[0]!;
          return !exists(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
        })
        .map(([named]) => `${path}: ${named}`),
    );
    expect(dead).toEqual([]);
  });

  it("the first page stays a page", () => {
    expect(Buffer.byteLength(read("README.md"))).toBeLessThanOrEqual(10_240);
  });
});

describe("the rules of this file", () => {
  it("a dead link, anchor or path would be found", () => {
    expect(deadLinksOf("README.md", "# A\n[a](nothing.md) [b](#b) [c](#a) ![d](docs/nothing.png)")).toEqual([
      "nothing.md",
      "#b",
      "docs/nothing.png",
    ]);
    expect(deadPathsOf("README.md", "`core/nothing/` core/nothing.ts nothing.test.ts `core/` `api/main.ts`")).toEqual([
      "core/nothing.ts",
      "nothing.test.ts",
      "core/nothing/",
    ]);
  });
});
