/** Input of links to an owner's accounts: handles are normalized, a website is a URL. They are shown and never counted. */
import { z } from "zod";
import { parseGithubPlace } from "../proof-platforms/github.ts";
import { parseXHandle } from "../proof-platforms/x.ts";
import { urlOf } from "../urls.ts";

const MAX_URL = 256;

/** A schema of a handle, or of its URL on one of `hosts`; stored without the host. An empty string clears it. */
const handle = (hosts: readonly string[], parse: (text: string) => string | null, what: string) =>
  z
    .string()
    .max(MAX_URL)
    .transform((raw, ctx) => {
      const text = raw.trim();
      if (text === "") return "";
      const named = /^https?:\/\//i.test(text) ? handleOf(text, hosts) : text;
      const bare = named === null ? null : parse(named);
      if (bare !== null) return bare;
      ctx.addIssue(`must be ${what}`);
      return z.NEVER;
    });

/** The path of a URL on one of the hosts; null for any other. */
function handleOf(url: string, hosts: readonly string[]): string | null {
  const parsed = urlOf(url);
  if (!parsed || !hosts.includes(parsed.hostname.replace(/^www\./, ""))) return null;
  return parsed.pathname.split("/").filter(Boolean).join("/");
}

const website = z
  .string()
  .max(MAX_URL)
  .transform((raw, ctx) => {
    const text = raw.trim();
    if (text === "") return "";
    const url = urlOf(text);
    const fine =
      url !== null &&
      (url.protocol === "https:" || url.protocol === "http:") &&
      url.username === "" &&
      url.password === "" &&
      /^[^.]+(?:\.[^.]+)*\.[a-z][a-z0-9-]+$/i.test(url.hostname);
    if (fine && url.href.length <= MAX_URL) return url.href;
    ctx.addIssue("must be an http or https URL of a public host name");
    return z.NEVER;
  });

/** Only given fields change. */
export const socialSchema = z.strictObject({
  twitter: handle(["x.com", "twitter.com"], parseXHandle, "a handle of 1 to 15 letters, digits and _").optional(),
  website: website.optional(),
  github: handle(
    ["github.com"],
    parseGithubPlace,
    "a user name of 1 to 39 letters, digits and single hyphens, or owner/repository",
  ).optional(),
});
export type SocialInput = z.output<typeof socialSchema>;
export const SOCIALS = ["twitter", "website", "github"] as const;
