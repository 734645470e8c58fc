/** Which pages may have a browser call the tools. Whatever is no browser sends no Origin. */
import { fail } from "../../core/errors.ts";
import { urlOf } from "../../core/urls.ts";
import type { Carrier } from "./call-tool.ts";

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * Refuses calls of foreign pages: a page whose name was rebound to this machine's address would else speak to a service
 * that only listens here. Our own pages may call, and those a developer serves on the same machine.
 * @throws Failure forbidden
 */
export function requireKnownOrigin({ deps, header }: Pick<Carrier, "deps" | "header">): void {
  const origin = header("origin");
  if (origin === undefined) return;
  const { publicUrl, webUrl } = deps.config.service;
  const known = [publicUrl, webUrl].map((url) => new URL(url).origin);
  if (known.includes(origin)) return;
  if (LOOPBACK.test(urlOf(origin)?.hostname ?? "")) return;
  fail("forbidden", "Pages of this origin may not call the tools.", {
    hint: "Call them from a server, or from no page.",
  });
}
