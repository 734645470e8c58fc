/** The files of the web terminal as `npm run web` builds them, read once, with the copies compressed at build time. */
import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { ContentCoding } from "../http/content-coding.ts";

export type WebFile = {
  type: string;
  /** Without quotes. */
  etag: string;
  plain: Buffer;
  /** Those of the build: smaller than what could be made for each request. */
  codings: readonly ContentCoding[];
  br?: Buffer;
  gzip?: Buffer;
};

export type WebBundle = {
  /** index.html as text, with a place for the metadata of a page. */
  page: string;
  /** By path below the origin, `/assets/<name>-<hash>.js`. */
  files: ReadonlyMap<string, WebFile>;
};

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".ico": "image/vnd.microsoft.icon",
  ".png": "image/png",
};

/** @returns null while the folder has no built terminal */
export function readWebBundle(folder: string): WebBundle | null {
  const paths = new Set(globSync("assets/*", { cwd: folder }).map((path) => path.replaceAll("\\", "/")));
  const read = (path: string) => readFileSync(join(folder, path));
  const files = new Map<string, WebFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const plain = read(path);
    files.set(`/${path}`, {
      type,
      etag: hash("sha256", plain, "hex").slice(0, 16),
      plain,
      codings: [
        ...(paths.has(`${path}.br`) ? (["br"] as const) : []),
        ...(paths.has(`${path}.gz`) ? (["gzip"] as const) : []),
      ],
      ...(paths.has(`${path}.br`) && { br: read(`${path}.br`) }),
      ...(paths.has(`${path}.gz`) && { gzip: read(`${path}.gz`) }),
    });
  }
  if (files.size === 0) return null;
  return { page: read("index.html").toString("utf8"), files };
}
