/** The URL of a request: its target and Host header, as the URL standard reads them. */
import type { IncomingMessage } from "node:http";
import { hasLongHost } from "../../core/urls.ts";

const PLAIN_HOST = /^[a-z0-9._-]+(?::(?!80$)\d{1,5})?$/;
/** Path and query that the URL parser leaves unchanged: no escape, no dot segment, nothing that it would escape. */
const PLAIN_TARGET = /^\/(?!.*\/\.{1,2}(?:[/?]|$))(?!\.{1,2}(?:[/?]|$))[\w.~!$&()*+,;=:@/?-]*$/;

/** A path that ends in one slash and does not begin with two: as `Location`, that would name another host. */
const WITH_SLASH = /^(\/(?!\/)[^?]*[^/?])\/(\?.*)?$/;

/** The target without the slash at the end of its path; null for one without it. */
export function withoutTrailingSlash(target: string): string | null {
  if (!target.endsWith("/") && !target.includes("/?")) return null;
  const [, path, query = ""] = WITH_SLASH.exec(target) ?? [];
  return path === undefined ? null : path + query;
}

/**
 * @returns an http URL with path and query, normalized; null for a target or a Host that cannot be used (RFC 9112,
 *   sections 3.2 and 3.3)
 */
export function requestUrl({ url: target = "", headers: { host } }: IncomingMessage): string | null {
  if (host !== undefined && PLAIN_HOST.test(host) && PLAIN_TARGET.test(target)) return `http://${host}${target}`;
  // The URL parser reads a backslash as a slash; a proxy in front may not.
  if (target.split("?", 1)[0]!.includes("\\")) return null;
  if (/^https?:\/\//.test(target)) return hasLongHost(target) ? null : (URL.parse(target)?.href ?? null);
  if (!host || !target.startsWith("/") || hasLongHost(`http://${host}`)) return null;
  const url = URL.parse(`http://${host}${target}`);
  // A Host with user information, a path or a query would move the target into another part of the URL.
  return url?.hostname === host.replace(/:\d*$/, "").toLowerCase() ? url.href : null;
}
