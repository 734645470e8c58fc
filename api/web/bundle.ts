/** The files of the web terminal as `npm run generate -- web` builds them and of builds of the last day, read once, with the copies compressed at build time. */
import { hash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
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
  /** The scripts of the view at a path that no other view needs, as paths below the origin. */
  scriptsAt(path: string): readonly string[];
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
  // A file of both is the one of today.
  const paths = new Set(["former/*", "assets/*"].flatMap((path) => globSync(path, { cwd: folder })));
  const read = (path: string) => readFileSync(join(folder, path));
  const files = new Map<string, WebFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const plain = read(path);
    files.set(`/assets/${basename(path)}`, {
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
  // A folder that an older release built has none: its pages load their scripts all the same, one step later.
  const shapes = existsSync(join(folder, "views.json")) ? read("views.json").toString("utf8") : "[]";
  const views = (JSON.parse(shapes) as { shape: string; files: string[] }[]).map(({ shape, files }) => ({
    pattern: new RegExp(`^${shape}$`),
    scripts: files.map((file) => `/${file}`),
  }));
  const scriptsAt = (path: string) => views.find(({ pattern }) => pattern.test(path))?.scripts ?? [];
  return { page: read("index.html").toString("utf8"), files, scriptsAt };
}
