/** Files of the terminal at fixed paths: what the build made, the icons, and the manifest. */
import type { IncomingMessage } from "node:http";
import { isNotModified } from "../http/conditional.ts";
import { acceptedCoding } from "../http/content-coding.ts";
import type { ResponseHead } from "../http/response-head.ts";
import type { WebBundle, WebFile } from "./bundle.ts";

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
