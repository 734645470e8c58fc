/** The GitHub adapter against the simulator: whose gist, which gist, what it says, and looking again for nothing. */
import { beforeEach, describe, expect, it } from "vitest";
import type { FoundProof, ProofReader } from "../../clients/ports.ts";
import { githubProofs } from "../../clients/proof-platforms/github.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import type { GithubClaim } from "../../core/proof-platforms/github.ts";
import { perFile, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { simulated, unavailable } from "./support/simulated.ts";

const sim = perFile(simulated);
const raw = perTest(() => openPublicHttp({ userAgent: "tests", loopback: true, origins: [sim.url], limits: PATIENT }));
let github: ProofReader<GithubClaim>;
const sought = { tokenId: 7, prefix: "helixa" };
const FILE = "helixa-verify.txt";
const WITH_TOKEN = { headers: { authorization: "Bearer key" } };
const plant = (login: string, id: number, gists: object[], more = {}) =>
  sim.control("PUT", `github/users/${login}`, { id, gists, ...more });
const gist = (id: string, content: unknown, more = {}) => ({ id, public: true, files: { [FILE]: content }, ...more });
/** Gists with nothing to prove. */
const others = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `o${i}`, public: true, files: { "notes.md": "x" } }));
const OTHERWISE = `The file ${FILE} says something else than 7.`;
const LARGE = `The file ${FILE} is larger than 1024 bytes.`;
const without = (name: string) => `The gist has no file ${FILE}; it has "${name}".`;
const find = (claim: GithubClaim, tokenId = 7) => github.find(claim, { ...sought, tokenId });

beforeEach(async () => {
  github = githubProofs(sim.upstream("/github", { maxBytes: 3_000_000, ...WITH_TOKEN }), raw);
  await sim.fail("github", { times: 0 });
  await plant("Octo-Cat", 583231, [gist("aa11", "7\n")]);
});

describe("looking for a proof", () => {
  it.each([{}, { gistId: "aa11" }])("finds it, with the numeric id and GitHub's spelling (%j)", async (hint) => {
    expect(await find({ username: "octo-cat", ...hint })).toEqual({
      accountId: "583231",
      handle: "Octo-Cat",
      username: "Octo-Cat",
      evidence: {
        url: "https://gist.github.com/Octo-Cat/aa11",
        id: "aa11",
        quote: "7",
        revision: expect.stringMatching(/^[0-9a-f]{40}$/),
        etag: expect.stringMatching(/^W\/"/),
      },
    });
  });

  it("finds it among many gists, five pages deep and no deeper", async () => {
    await plant("prolific", 2, [...others(450), gist("deep", "helixa:7")]);
    expect(await find({ username: "prolific" })).toMatchObject({ evidence: { id: "deep" } });
    await plant("prolific", 2, [...others(450), ...others(450), gist("deeper", "helixa:7")]);
    expect(await find({ username: "prolific" })).toMatchObject({ reason: expect.stringMatching("has no public gist") });
    expect(await find({ username: "prolific", gistId: "deeper" })).toMatchObject({ accountId: "2" });
  });

  /** A gist whose entry in a list takes about 100 kB: it has 300 files. */
  const wide = (id: string) => ({
    ...{ id, public: true },
    files: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${"n".repeat(60)}${i}.md`, "x"])),
  });
  const manyWide = (count: number) => Array.from({ length: count }, (_, i) => wide(`w${i}`));

  /** The client over an upstream that records its paths and page sizes. */
  const recorded = (maxBytes: number) => {
    const pages: string[] = [];
    const api = sim.upstream("/github", { maxBytes, ...WITH_TOKEN });
    const ask: typeof api.ask = (request) => {
      if (request.query) pages.push(`${request.query.per_page}:${request.query.page}`);
      return api.ask(request);
    };
    return { pages, github: githubProofs({ ask }, raw) };
  };

  it("reads a list above the size limit by smaller pages, and by larger ones behind it", async () => {
    await plant("wide", 10, [...manyWide(20), ...others(90), gist("behind", "7")]);
    const { pages, github } = recorded(1_200_000);
    expect(await github.find({ username: "wide" }, sought)).toMatchObject({ evidence: { id: "behind" } });
    expect(pages.join(" ")).toBe("100:1 20:1 4:1 4:2 4:3 4:4 4:5 20:2 20:3 20:4 20:5 100:2");
  });

  it("skips a single gist above the size limit", async () => {
    await plant("huge", 11, [wide("w0"), gist("next", "7")]);
    const { github } = recorded(50_000);
    expect(await github.find({ username: "huge" }, sought)).toMatchObject({ evidence: { id: "next" } });
  });

  it("ends after 12 requests, and says how far it has searched", async () => {
    await plant("endless", 12, [...manyWide(100), gist("last", "7")]);
    const { pages, github } = recorded(50_000);
    expect(await github.find({ username: "endless" }, sought)).toEqual({
      reason: `The GitHub account endless has no public gist with a file ${FILE} among its newest 8: name the gist.`,
    });
    expect(pages).toHaveLength(12);
    expect(await github.find({ username: "endless", gistId: "last" }, sought)).toMatchObject({ accountId: "12" });
  });

  it("knows the last page by the Link header: a full one costs no further request", async () => {
    await plant("full", 13, others(200));
    const { pages, github } = recorded(3_000_000);
    expect(await github.find({ username: "full" }, sought)).toMatchObject({ reason: expect.stringMatching(/txt\.$/) });
    expect(pages).toEqual(["100:1", "100:2"]);
  });

  it("keeps away when the hour's requests are used up", async () => {
    const anonymous = githubProofs(sim.upstream("/github"), raw);
    for (let i = 0; i < 60; i++) await anonymous.find({ username: "ghost" }, sought).catch(() => undefined);
    const { retryAfter } = (await unavailable(anonymous.find({ username: "ghost" }, sought))).options;
    expect(retryAfter).toBe(900);
  });

  it("looks at several gists with the right file", async () => {
    await plant("several", 3, [gist("s1", "8"), gist("s2", "7")]);
    expect(await find({ username: "several" })).toMatchObject({ evidence: { id: "s2" } });
    expect(await find({ username: "several" }, 9)).toEqual({
      reason: `The file ${FILE} says something else than 9.`,
      found: "7",
    });
  });

  it.each([
    ["another number", gist("g", "77"), OTHERWISE, "77"],
    ["several numbers", gist("g", "my tokens: 7, 8"), OTHERWISE, "my tokens: 7, 8"],
    ["a fork", gist("g", "7", { fork_of: { id: "aa11" } }), "The gist is a fork of another one."],
    ["a secret gist", gist("g", "7", { public: false }), "The gist is not public."],
    ["another file", gist("g", "", { files: { "Helixa-Verify.txt": "7" } }), without("Helixa-Verify.txt")],
    ["an inherited name", gist("g", "", { files: { toString: "7" } }), without("toString")],
    ["a long file", gist("g", "7".padEnd(2_000)), LARGE],
    ["a file cut off", gist("g", "7".padEnd(1_200_000)), LARGE],
    ["an endless gist", gist("g", "7", { fork_of: "x".repeat(4_000_000) }), LARGE],
  ])("does not take %s", async (_what, planted, reason, found?: string) => {
    await plant("someone", 4, [planted]);
    expect(await find({ username: "someone", gistId: "g" })).toEqual({ reason, ...(found && { found }) });
  });

  it("does not take somebody else's gist, nor an organisation's", async () => {
    await plant("thief", 5, []);
    expect(await find({ username: "thief", gistId: "aa11" })).toEqual({
      reason: "The gist does not belong to the GitHub account thief.",
    });
    await plant("corp", 6, [gist("c1", "7")], { type: "Organization" });
    expect(await find({ username: "corp" })).toMatchObject({ reason: expect.stringContaining("organisation") });
  });

  it("knows that there is no such account, gist or file", async () => {
    expect(await find({ username: "ghost" })).toEqual({ reason: "There is no GitHub account ghost.", isAbsent: true });
    expect(await find({ username: "octo-cat", gistId: "ffff" })).toEqual({ reason: "There is no such gist." });
    await plant("empty", 8, []);
    expect(await find({ username: "empty" })).toEqual({
      reason: `The GitHub account empty has no public gist with a file ${FILE}.`,
    });
  });

  it("reads a file that the API cut off from the host of raw files, and from no other host", async () => {
    await plant("cut", 9, [gist("t1", { content: "helixa:7", truncated: true })]);
    expect(await find({ username: "cut" })).toMatchObject({ accountId: "9" });
    const origins = ["https://gist.githubusercontent.com"];
    const elsewhere = openPublicHttp({ userAgent: "tests", loopback: true, origins });
    await unavailable(githubProofs(sim.upstream("/github", WITH_TOKEN), elsewhere).find({ username: "cut" }, sought));
    await elsewhere.close();
  });

  it.each([
    ["a limit", { status: 403, body: { message: "API rate limit exceeded" } }],
    ["a secondary limit", { status: 429 }],
    ["an error of GitHub", { status: 502 }],
    ["HTML", { body: "<!doctype html><title>Unicorn!</title>" }],
    ["silence", { hangs: true as const }],
  ])("takes %s for an error", async (_what, plan) => {
    await sim.fail("github", plan);
    await unavailable(find({ username: "octo-cat" }));
  });
});

describe("looking again", () => {
  const known = async () => ({ ...((await find({ username: "octo-cat" })) as FoundProof), ...sought });

  it("costs nothing while the gist is the same, and the evidence stays; what has no quote yet gets one", async () => {
    const proof = await known();
    const { accountId, handle, username, evidence } = proof;
    expect(await github.recheck([proof])).toEqual([{ accountId, handle, username, evidence }]);
    const { quote, ...old } = evidence;
    expect(quote).toBe("7");
    expect(await github.recheck([{ ...proof, evidence: old }])).toEqual([{ accountId, handle, username, evidence }]);
    expect(await github.recheck([{ ...proof, evidence: {} }])).toEqual([{ accountId, handle, username, evidence }]);
    const [other] = await github.recheck([{ ...proof, accountId: "1", evidence: {} }]);
    expect(other).toMatchObject({ reason: "The name Octo-Cat belongs to another GitHub account now." });
  });

  it("takes an edit that still says so", async () => {
    const proof = await known();
    await plant("Octo-Cat", 583231, [gist("aa11", "helixa:7")]);
    const [again] = await github.recheck([proof]);
    expect(again).toMatchObject({ accountId: "583231" });
    expect((again as FoundProof).evidence.revision).not.toBe(proof.evidence.revision);
  });

  it.each([
    ["edited away", () => plant("Octo-Cat", 583231, [gist("aa11", "8")]), OTHERWISE],
    ["deleted", () => plant("Octo-Cat", 583231, []), "The gist was deleted."],
    ["gone with its account", () => sim.control("DELETE", "github/users/octo-cat"), "The gist was deleted."],
    [
      "of a renamed account",
      async () => {
        await sim.control("DELETE", "github/users/octo-cat");
        await plant("octo-kitten", 583231, [gist("aa11", "7")]);
      },
      "The gist does not belong to the GitHub account Octo-Cat.",
    ],
    [
      "of a recycled name",
      () => plant("octo-cat", 42, [gist("aa11", "7")]),
      "The name Octo-Cat belongs to another GitHub account now.",
    ],
  ])("notices a gist that is %s", async (_what, change, reason) => {
    const proof = await known();
    await change();
    expect(await github.recheck([proof])).toEqual([expect.objectContaining({ reason })]);
    await sim.control("DELETE", "github/users/octo-kitten");
  });

  it("is an error when GitHub is away", async () => {
    const proof = await known();
    await sim.fail("github", { status: 500 });
    await unavailable(github.recheck([proof]));
  });
});

describe("an answer that cannot be stored", () => {
  const odd = (more: object) => ({
    id: "aa11",
    public: true,
    html_url: "https://gist.github.com/Octo-Cat/aa11",
    files: { [FILE]: { size: 1, content: "7" } },
    owner: { login: "Octo-Cat", id: 583231 },
    history: [],
    ...more,
  });
  it.each([
    ["an account's id beyond an index entry", { owner: { login: "Octo-Cat", id: "1".repeat(5_000) } }],
    ["an account's id that is no number", { owner: { login: "Octo-Cat", id: "1\0" } }],
    ["a gist's id of 5,000 characters", { id: "a".repeat(5_000) }],
    ["a file that is no file", { files: { [FILE]: 7 } }],
  ])("is an error of its own gist: %s", async (_what, more) => {
    await sim.fail("github", { body: odd(more) });
    await unavailable(find({ username: "octo-cat", gistId: "aa11" }));
  });

  it.each([
    ["a script", "javascript:alert(1)"],
    ["a link of 5,000 characters", `https://gist.github.com/${"a".repeat(5_000)}`],
    ["a number", 7],
  ])("shows its own link instead of %s", async (_what, html_url) => {
    await sim.fail("github", { body: odd({ html_url }) });
    expect(await find({ username: "octo-cat", gistId: "aa11" })).toMatchObject({
      evidence: { url: "https://gist.github.com/aa11" },
    });
  });
});
