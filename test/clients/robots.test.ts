/** What a host's robots.txt says, as RFC 9309 has it, and what becomes of hosts that do not say it. */
import { describe, expect, it } from "vitest";
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import type { PublicHttp } from "../../clients/public-http.ts";
import { robotsAllow, robotsRules } from "../../core/offers/robots.ts";

const allows = (text: string, path: string) =>
  robotsAllow(robotsRules(text, "Helixa"), new URL(path, "https://a.example"));

describe("rules", () => {
  it.each([
    ["", "/x", true],
    ["user-agent: *\ndisallow: /", "/x", false],
    ["user-agent: *\ndisallow:", "/x", true],
    ["User-Agent: *\r\nDisallow: /x # why\r\n", "/x/y", false],
    ["user-agent: *\ndisallow: /x\nallow: /x/open", "/x/open/1", true],
    ["user-agent: *\ndisallow: /x/open\nallow: /x", "/x/open", false],
    ["user-agent: *\ndisallow: /x\nallow: /x", "/x", true],
    ["user-agent: *\ndisallow: /*.json$", "/a/card.json", false],
    ["user-agent: *\ndisallow: /*.json$", "/a/card.json?x", true],
    ["user-agent: *\ndisallow: /a*b*c", "/a-b-b", true],
    ["user-agent: *\ndisallow: /a*b*c", "/a-b-c-d", false],
    ["user-agent: *\ndisallow: /x$", "/x/y", true],
    ["user-agent: *\ndisallow: /x*$", "/x/y", false],
    ["user-agent: *\ndisallow: /\n\nuser-agent: helixa/2.0\nallow: /", "/x", true],
    ["user-agent: *\nallow: /\nuser-agent: other\nuser-agent: HELIXA\ndisallow: /", "/x", false],
    ["user-agent: helixa\ndisallow: /a\nuser-agent: b\ndisallow: /c\nuser-agent: helixa\ndisallow: /d", "/d", false],
    ["user-agent: helixabot\ndisallow: /", "/x", true],
    ["disallow: /", "/x", true],
    ["user-agent: *\ndisallow: /ü", "/%c3%bc", false],
  ])("%j of %s: %s", (text, path, allowed) => expect(allows(text, path)).toBe(allowed));

  it("of a hostile file are matched without going back: trying all places would not end", () => {
    const text = `user-agent: *\n${`disallow: /${"a*".repeat(240)}b\n`.repeat(1_000)}`;
    expect(allows(text, `/${"a".repeat(480)}`)).toBe(true);
  });
});

describe("hosts", () => {
  /** @param robots status and text of robots.txt, null: the host does not answer */
  function host(robots: { status: number; text?: string } | null) {
    const asked: string[] = [];
    let clock = 0;
    const http = {
      async request(url: string) {
        asked.push(new URL(url).pathname);
        if (robots === null) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        const { status, text = "" } = url.endsWith("/robots.txt") ? robots : { status: 200, text: "{}" };
        return { status, text, headers: {}, bytes: new Uint8Array() };
      },
    } as unknown as PublicHttp;
    const endpoints = foreignEndpoints(http, { now: () => clock, robot: "Helixa" });
    return {
      asked,
      probe: (path = "/card") => endpoints.send({ url: `https://a.example${path}`, isProbe: true }),
      file: () => endpoints.send({ url: "https://a.example/file" }),
      later: (ms: number) => (clock += ms),
    };
  }

  it("are asked for theirs once a day, before the first probe; files that name themselves need none", async () => {
    const { asked, probe, file, later } = host({ status: 200, text: "user-agent: *\ndisallow: /card" });
    expect(await file()).toMatchObject({ kind: "answered" });
    expect(await probe()).toMatchObject({
      kind: "failed",
      unasked: true,
      reason: expect.stringContaining("forbids that to Helixa"),
    });
    expect(await probe("/other")).toMatchObject({ kind: "answered" });
    later(86_400_001);
    await probe();
    expect(asked).toEqual(["/file", "/robots.txt", "/other", "/robots.txt"]);
  });

  it.each([500, 503])("without one are asked; with one that fails (%i) they are silent", async (status) => {
    expect(await host({ status: 404 }).probe()).toMatchObject({ kind: "answered" });
    const { asked, probe } = host({ status });
    const answer = await probe();
    expect(answer).toMatchObject({ kind: "failed", final: false, status });
    expect(answer).not.toHaveProperty("unasked");
    expect(asked).toEqual(["/robots.txt"]);
  });

  it("that do not answer are silent, as without it", async () => {
    const { asked, probe } = host(null);
    expect(await probe()).toMatchObject({ kind: "failed", cause: "refused" });
    expect(asked).toEqual(["/robots.txt"]);
  });
});
