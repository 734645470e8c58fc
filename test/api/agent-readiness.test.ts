/**
 * What scanners for agents look for on a host (isitagentready.com and its kin), as far as it applies here. Left out:
 * an authorization server of our own (there is none), signed requests (this host sends none), tools in the page (a draft).
 */
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { apiForFile, apiForTest, refusal } from "./support/api.ts";

const api = apiForFile(
  {
    env: { RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}`, AGENT_CARD_PRIVATE_KEY: `0x${"6".repeat(64)}` },
  },
  { provoked: true },
);

const text = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(api.url + path, { headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return { headers: answer.headers, text: await answer.text() };
};
const read = async <T>(path: string) => JSON.parse((await text(path)).text) as T;

describe("a host that is found by agents alone", () => {
  it("has robots.txt: rules for all, what its content may be used for, and its sitemap", async () => {
    const { headers, text: rules } = await text("/robots.txt");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(rules).toMatch(/^User-agent: \*\nContent-Signal: search=yes, ai-input=yes\n/);
    expect(rules).toMatch(/^Allow: \/$/m);
    expect(rules).toMatch(/^Sitemap: https:\/\/.+\/sitemap\.xml$/m);
  });

  it("has a sitemap", async () => expect((await text("/sitemap.xml")).text).toMatch(/<sitemapindex /));

  it("leads from its front page to its APIs, by Link headers (RFC 8288)", async () => {
    const { headers } = await text("/", { accept: "text/markdown" });
    for (const rel of ["api-catalog", "service-desc", "service-doc", "describedby"])
      expect(headers.get("link")).toContain(`rel="${rel}"`);
  });

  it("has Markdown for whoever asks for it", async () => {
    const { headers, text: page } = await text("/", { accept: "text/markdown" });
    expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(page).toMatch(/^# /);
  });

  it("says what is paid for, by x402 and in the OpenAPI document", async () => {
    const manifest = await read<{ resources: unknown[] }>("/.well-known/x402.json");
    expect(manifest.resources).toEqual(expect.any(Array));
  });

  it("names the authorization server of people's tokens where there is one (RFC 9728)", async () => {
    const path = "/.well-known/oauth-protected-resource";
    expect((await api.get(path)).status).toBe(404);
    const issuer = "https://identity.example";
    const other = await apiForTest({
      alone: true,
      env: { IDP_ISSUER: issuer, IDP_AUDIENCE: "agents", IDP_JWKS_URL: `${issuer}/jwks.json` },
    });
    expect((await other.get(path)).body).toMatchObject({
      resource: "https://agents.test",
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
    });
  });
});

describe("its skills", () => {
  type Index = {
    $schema: string;
    skills: { name: string; type: string; description: string; url: string; digest: string }[];
  };
  const index = () => read<Index>("/.well-known/agent-skills/index.json");
  const pageOf = (url: string) => text(url.replace("https://agents.test", ""));

  it("are listed with the digest of what is served", async () => {
    const { $schema, skills } = await index();
    expect($schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    expect(skills.map(({ name }) => name)).toEqual(["buy-a-cred-report", "find-an-agent", "register-an-agent"]);
    for (const { name, type, description, url, digest } of skills) {
      expect([type, description.length <= 1_024]).toEqual(["skill-md", true]);
      const { headers, text: page } = await pageOf(url);
      expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(digest).toBe(`sha256:${hash("sha256", page, "hex")}`);
      expect(page).toMatch(new RegExp(`^---\nname: ${name}\ndescription: .+\n---\n\n# `));
      expect(page).not.toContain("{service}");
    }
  });

  it("name nothing that this service has not", async () => {
    const paths = Object.keys(api.document.paths).map((path) => path.replaceAll(/\{\w+\}/g, "*"));
    for (const { url } of (await index()).skills) {
      const named = [...(await pageOf(url)).text.matchAll(/https:\/\/agents\.test(\/[^?`\s);,]*)/g)].map(([, path]) =>
        path!.replaceAll(/<[^>]*>/g, "*").replace(/\.$/, ""),
      );
      expect(named.length).toBeGreaterThan(2);
      expect(named.filter((path) => !paths.includes(path))).toEqual([]);
    }
  });

  it("that there are not are 404", async () =>
    expect(await api.get("/.well-known/agent-skills/none/SKILL.md")).toMatchObject(
      refusal(404, "not_found", { hint: expect.stringContaining("find-an-agent") }),
    ));
});
