/** The files of the web terminal as `npm run generate -- web` builds them and of builds of the last day, read once, with the copies compressed at build time, and sent with the icons and the manifest at fixed paths. */
import { hash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { basename, extname, join } from "node:path";
import { acceptedCoding, type ContentCoding, isNotModified } from "../http/content-coding.ts";
import type { ResponseHead } from "../http/response-head.ts";

type WebFile = {
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
export function readWebBundle(folder: string, tries = 10): WebBundle | null {
  if (!existsSync(join(folder, "index.html"))) return null;
  try {
    return readFiles(folder);
  } catch (error) {
    // A build that ends now has moved a file.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === 1) throw error;
    return readWebBundle(folder, tries - 1);
  }
}

function readFiles(folder: string): WebBundle | null {
  const read = (path: string) => readFileSync(join(folder, path));
  // First the page, whose files are there as long as it is; what moves while it is listed is in both lists.
  const page = read("index.html").toString("utf8");
  // A folder that an older release built has none: its pages load their scripts all the same, one step later.
  const shapes = existsSync(join(folder, "views.json")) ? read("views.json").toString("utf8") : "[]";
  const listed = ["assets/*", "former/*"].map((path) => globSync(path, { cwd: folder }));
  // A file of both is the one of today.
  const paths = new Set(listed.reverse().flat());
  const files = new Map<string, WebFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const plain = read(path);
    const copies = {
      ...(paths.has(`${path}.br`) && { br: read(`${path}.br`) }),
      ...(paths.has(`${path}.gz`) && { gzip: read(`${path}.gz`) }),
    };
    const codings = Object.keys(copies) as ContentCoding[];
    const etag = hash("sha256", plain, "hex").slice(0, 16);
    files.set(`/assets/${basename(path)}`, { type, etag, plain, codings, ...copies });
  }
  if (files.size === 0) return null;
  const views = (JSON.parse(shapes) as { shape: string; files: string[] }[]).map(({ shape, files }) => ({
    pattern: new RegExp(`^${shape}$`),
    scripts: files.map((file) => `/${file}`),
  }));
  const scriptsAt = (path: string) => views.find(({ pattern }) => pattern.test(path))?.scripts ?? [];
  return { page, files, scriptsAt };
}

/** Icons that browsers ask for at a fixed path. */
const ICONS: ReadonlySet<string> = new Set(["/favicon.ico", "/apple-touch-icon.png"]);
/** What an installed terminal is called and looks like (Web Application Manifest). */
const MANIFEST = "/manifest.webmanifest";
const MANIFEST_TYPE = "application/manifest+json; charset=utf-8";
const manifestOf = (name: string) => ({
  status: 200,
  headers: { "content-type": MANIFEST_TYPE, "cache-control": A_DAY },
  body: Buffer.from(
    JSON.stringify({
      name,
      ...{ short_name: name, start_url: "/", display: "minimal-ui" },
      ...{ background_color: "#0b0d11", theme_color: "#0b0d11" },
      icons: [
        { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
        { src: "/apple-touch-icon.png", sizes: "180x180", type: "image/png" },
      ],
    }),
  ),
});
/** Names of other files have a hash of the content. */
const [FOR_EVER, A_DAY] = ["public, max-age=31536000, immutable", "public, max-age=86400"] as const;

/**
 * @param built the build, null while there is none
 * @returns sends the file of a path and tells whether there is one; null for paths that name no file
 */
export function siteFiles(siteName: string, built: () => WebBundle | null) {
  const manifest = manifestOf(siteName);
  return (path: string, incoming: IncomingMessage, response: ResponseHead): boolean | null => {
    if (path === MANIFEST) {
      response.send(incoming, manifest);
      return true;
    }
    const isIcon = ICONS.has(path);
    if (!isIcon && !path.startsWith("/assets/")) return null;
    const file = built()?.files.get(isIcon ? `/assets${path}` : path);
    if (file) sendFile(file, incoming, response, isIcon ? A_DAY : FOR_EVER);
    return file !== undefined;
  };
}

/** Sends a file in the smallest encoding that the client accepts. */
function sendFile(file: WebFile, incoming: IncomingMessage, response: ResponseHead, cacheControl: string): void {
  const coding = acceptedCoding(incoming, file.codings);
  const etag = `"${file.etag}${coding ? `-${coding}` : ""}"`;
  const headers: Record<string, string> = {
    "cache-control": cacheControl,
    etag,
    vary: "Accept-Encoding",
  };
  if (isNotModified(incoming.headers["if-none-match"], etag))
    return void response.send(incoming, { status: 304, headers, body: null });
  headers["content-type"] = file.type;
  if (coding) headers["content-encoding"] = coding;
  response.send(incoming, { status: 200, headers, body: (coding && file[coding]) ?? file.plain });
}
