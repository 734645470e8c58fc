/** The directory's pure parts: foreign cred, foreign texts and links, what searches mean. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FOREIGN_CAP, foreignCred, foreignSteps } from "../../core/directory/cred.ts";
import { DEFECT_CODES, defect, defectView, UnreadableFile } from "../../core/directory/file-defects.ts";
import { boundsOf, DIRECTORY_FILTERS, orderOf, searchKinds } from "../../core/directory/filters.ts";
import { locateFile, readRegistration } from "../../core/directory/foreign-registration-file.ts";
import { foreignLink, foreignText, foreignTime } from "../../core/directory/foreign-text.ts";
import { ownEntry } from "../../core/directory/own-entry.ts";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { unpack } from "../../workers/directory/unpack.ts";
import { randomAgents } from "../support/agents.ts";
import { forAll } from "../support/for-all.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const seconds = Math.floor(NOW.getTime() / 1000);
const facts = fc.record({
  traitCount: fc.nat(30),
  description: fc.option(fc.string(), { nil: null }),
  walletProven: fc.boolean(),
  registeredAt: fc.option(fc.integer({ min: seconds - 90 * 86_400, max: seconds }), { nil: null }),
  ownerAttested: fc.boolean(),
  holdsIdentity: fc.boolean(),
});

/** What can be lifted of it: all. */
const ROW = { platform: "erc8004", owner_address: "0x", description: null, verified: 0, cred_score: 49 } as const;

describe("the cred of a foreign agent", () => {
  it("is the weighted sum of what is known, capped without an identity", () =>
    forAll([facts], (known) => {
      const { traitCount, description, walletProven, registeredAt, ownerAttested, holdsIdentity } = known;
      const days = registeredAt === null ? 0 : Math.floor((seconds - registeredAt) / 86_400);
      const hundredths =
        15 * Math.min(100, traitCount * 12) +
        15 * (walletProven ? 25 : 0) +
        15 * (ownerAttested ? 100 : 0) +
        10 * Math.min(100, days * 5) +
        10 * (description?.trim() ? 25 : 0) +
        10 * 50;
      const score = Math.floor((hundredths + 50) / 100);
      expect(foreignCred(known, NOW)).toBe(holdsIdentity ? score : Math.min(FOREIGN_CAP, score));
    }));

  it("is lifted by what it lacks, each step by its points", () =>
    forAll([facts], (drawn) => {
      const known = { ...drawn, holdsIdentity: true, traitCount: drawn.traitCount % 8 };
      const better = [
        ...(known.ownerAttested ? [] : [{ ownerAttested: true }]),
        ...(known.walletProven ? [] : [{ walletProven: true }]),
        ...(known.description?.trim() ? [] : [{ description: "It audits." }]),
        { traitCount: known.traitCount + 1 },
      ].map((change) => foreignCred({ ...known, ...change }, NOW) - foreignCred(known, NOW));
      const row = { ...ROW, description: known.description, verified: known.walletProven ? 1 : 0 } as const;
      const off = foreignSteps(row, known.ownerAttested).map(({ gain }, i) => Math.abs(gain - better[i]!));
      expect([off.length, Math.max(...off) < 1]).toEqual([better.length, true]);
    }));

  it("is lifted by nothing that its registry does not do, that has no owner, or that the cap takes away", () => {
    const steps = (of: object) => foreignSteps({ ...ROW, ...of }, false).map(({ action }) => action.split(" ")[1]);
    expect(steps({})).toEqual(["the", "its", "a", "service"]);
    expect(steps({ platform: "agentverse" })).toEqual(["the", "a", "service"]);
    expect(steps({ owner_address: null })).toEqual(["its", "a", "service"]);
    expect(steps({ cred_score: FOREIGN_CAP })).toEqual([]);
  });
});

describe("an own agent's row", () => {
  it("has the services it lists, by either word for their address", () => {
    const now = new Date(NOW);
    const { facts } = randomAgents(1, now, 3)[0]!;
    const services = { mcp: { endpoint: "https://a.test/mcp", version: "2" }, web: { url: "https://b.test/" } };
    facts.profile = [{ field: "services", value: services, writtenAt: now.toISOString() }];
    const registry = { contract: `0x${"1".repeat(40)}` as const, chainId: 8453 };
    expect(ownEntry(facts, registry, now).services).toEqual([
      { name: "mcp", endpoint: "https://a.test/mcp", version: "2" },
      { name: "web", endpoint: "https://b.test/", version: null },
    ]);
  });
});

describe("foreign texts", () => {
  it("are never longer than allowed, never with what reorders or hides", () =>
    forAll([fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 40 })], (raw, max) => {
      const text = foreignText(raw, max);
      if (text === null) return;
      expect([...text].length).toBeLessThanOrEqual(max);
      expect(text).toBe(text.trim());
      expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(text.isWellFormed()).toBe(true);
    }));

  it("keep what is text: flags that are spelled with tags, joiners inside words; other tags go", () => {
    const tagged = (region: string) =>
      `\u{1f3f4}${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("")}\u{e007f}`;
    expect(foreignText(`Alba ${tagged("gbsct")} می\u200cرود`, 64)).toBe(`Alba ${tagged("gbsct")} می\u200cرود`);
    expect(foreignText(`a${tagged("hidden")}b\u200bc`, 64)).toBe("a\u{1f3f4}bc");
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "https://a:b@c.example/",
    "http://a b",
    '"><script>',
    "//x",
    "file:///etc/passwd",
    "https://a.example../",
    "https://./",
    7,
    null,
  ])("%s is no link", (raw) => expect(foreignLink(raw)).toBeNull());
  it.each([
    ["https://A.Example.:8443/b.", "https://a.example:8443/b."],
    ["http://127.0.0.1./", "http://127.0.0.1/"],
    ["http://[::1]/", "http://[::1]/"],
  ])("%s is the link %s", (raw, link) => expect(foreignLink(raw)).toBe(link));
  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
    [1_767_322_800, "2026-01-02T03:00:00.000Z"],
    ["1767322800000", "2026-01-02T03:00:00.000Z"],
    [0, null],
    ["soon", null],
  ])("%s is %s", (raw, iso) => expect(foreignTime(raw)).toBe(iso));
});

describe("filters", () => {
  it("have bounds, and an order of their own", () => {
    const now = NOW.getTime();
    const none = { scores: [], createdSince: [] };
    expect(boundsOf({ filter: "new" }, now + 59_999)).toEqual({ ...none, createdSince: [now - 7 * 86_400_000] });
    expect(boundsOf({ filter: "trending" }, now)).toEqual({ ...none, activeSince: now - 86_400_000 });
    expect(boundsOf({ filter: "trending", window: "30d" }, now)).toEqual({
      ...none,
      activeSince: now - 30 * 86_400_000,
    });
    expect(boundsOf({ filter: "prime" }, now)).toEqual({ ...none, scores: [{ from: 76, to: 90 }] });
    expect(boundsOf({ filter: "gainers" }, now)).toEqual({ ...none, price: "up" });
    expect(boundsOf({ filter: "losers" }, now)).toEqual({ ...none, price: "down" });
    expect(boundsOf({ filter: "prime", minScore: 80, minAgeDays: 1, maxAgeDays: 2 }, now)).toEqual({
      scores: [
        { from: 76, to: 90 },
        { from: 80, to: 100 },
      ],
      createdSince: [now - 2 * 86_400_000],
      createdUntil: now - 86_400_000,
    });
    const own = Object.fromEntries(DIRECTORY_FILTERS.map((filter) => [filter, orderOf({ filter }, {})]));
    expect(own).toMatchObject({
      all: { sort: "cred_score", descending: true },
      new: { sort: "created_at", descending: true },
      trending: { sort: "trend", descending: true },
      gainers: { sort: "price_change_24h", descending: true },
      losers: { sort: "price_change_24h", descending: false },
      prime: { sort: "cred_score", descending: true },
    });
  });
  it("leave the order to whoever asks for one", () => {
    expect(orderOf({ filter: "losers" }, { sort: "name" })).toEqual({ sort: "name", descending: true });
    expect(orderOf({ filter: "losers" }, { dir: "DESC" })).toEqual({ sort: "price_change_24h", descending: true });
    expect(orderOf({ filter: "losers" }, { sort: "revenue_self_reported" })).toEqual(orderOf({ filter: "losers" }, {}));
    expect(orderOf({ filter: "new" }, { sort: "ethos_score", dir: "ASC" })).toEqual({
      sort: "ethos_score",
      descending: false,
    });
  });
  it.each([
    ["0xAb", "0xab"],
    ["agent1qX", "agent1qx"],
    ["agent", undefined],
    ["0xg", undefined],
  ])("%s begins the address %s", (q, prefix) => expect(searchKinds(q).addressPrefix).toBe(prefix));
});

describe("defects of registration files", () => {
  const GATEWAYS = { ipfs: "https://ipfs.example", arweave: "https://ar.example" };
  const WHOLE = {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    ...{ name: "Helper", description: "Helps.", image: "https://a.example/i.png" },
    services: [{ name: "MCP", endpoint: "https://a.example/mcp" }],
  };
  const of = (change: object) => readRegistration(JSON.stringify({ ...WHOLE, ...change })).warnings;
  const many = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ name: "Web", endpoint: `https://a.example/${i}` }));

  const files: [change: object, defects: string[]][] = [
    [{}, []],
    [{ type: "agent" }, ["type"]],
    [{ name: undefined, image: "" }, ["missing: name", "missing: image"]],
    [{ name: "n".repeat(65) }, ["cut: name"]],
    [{ name: "n".repeat(64), description: "d".repeat(2_000) }, []],
    [{ description: "d".repeat(2_001) }, ["cut: description"]],
    [{ type: [WHOLE.type, "https://a.example/spec"] }, ["type_list"]],
    [{ type: ["agent"] }, ["type"]],
    [{ image: "data:text/html;base64,AAAA" }, ["image"]],
    [{ image: "data:image/png;base64,%%" }, ["image"]],
    [{ image: `data:image/png;base64,${"A".repeat(43_692)}` }, ["image_too_large"]],
    [{ active: "yes" }, ["active"]],
    [{ services: undefined, endpoints: WHOLE.services }, ["old_services"]],
    [{ services: { mcp: {} } }, ["services_no_list", "service: 1"]],
    [{ services: [{ ...WHOLE.services[0], endpoint: "https://a.example/{agentId}/mcp" }] }, ["template: 1"]],
    [{ services: [{ ...WHOLE.services[0], endpoint: "https://a.example/%7Bid%7D" }] }, ["template: 1"]],
    [{ services: [{ ...WHOLE.services[0], endpoint: "https://a.example/<id>/mcp" }] }, ["template: 1"]],
    [{ services: [...WHOLE.services, { name: "A2A" }, 5] }, ["service: 2", "service: 3"]],
    [{ services: many(64) }, []],
    [{ services: many(65) }, ["services_cut"]],
    [{ services: [{ ...WHOLE.services[0], skills: Array.from({ length: 65 }, (_, i) => `s${i}`) }] }, ["skills_cut"]],
    [{ x402support: true }, ["x402_spelling"]],
    [{ x402Support: { enabled: true } }, ["x402"]],
  ];
  it.each(files)("%.80j has %j", (change, defects) => expect(of(change)).toEqual(defects));

  const { endpoint } = WHOLE.services[0]!;
  const WEB = "https://a.example/";
  const odd: [services: unknown, read: string[], defects: string[]][] = [
    [[{ type: "MCP", value: endpoint, meta: { version: "2" } }], [`MCP ${endpoint} 2`], ["service_words: 1"]],
    [[{ name: "MCP", url: endpoint, version: "2" }], [`MCP ${endpoint} 2`], ["service_words: 1"]],
    [[{ id: "#a", type: "MCP", serviceEndpoint: endpoint }], [`MCP ${endpoint}`], ["service_words: 1"]],
    [[{ protocol: "MCP", uri: endpoint }], [`MCP ${endpoint}`], ["service_words: 1"]],
    [{ MCP: { endpoint, version: "2" }, web: WEB }, [`MCP ${endpoint} 2`, `web ${WEB}`], ["services_no_list"]],
    [{ MCP: [endpoint, WEB] }, [`MCP ${endpoint}`, `MCP ${WEB}`], ["services_no_list"]],
    [{ mcp: { name: "MCP", endpoint } }, [`MCP ${endpoint}`], ["services_no_list"]],
    [WHOLE.services[0], [`MCP ${endpoint}`], ["services_no_list"]],
    [endpoint, [], ["services_no_list"]],
    [null, [], []],
  ];
  it.each(odd)("services written as %.80j are read", (services, read, defects) => {
    const found = readRegistration(JSON.stringify({ ...WHOLE, services }));
    const shown = found.services.map(({ name, endpoint, version }) => [name, endpoint, version ?? []].flat().join(" "));
    expect([shown, found.warnings]).toEqual([read, defects]);
  });

  it.each([
    [undefined, true, []],
    [null, true, []],
    [true, true, []],
    [false, false, []],
    ["false", false, ["active"]],
    [0, false, ["active"]],
    ["true", true, ["active"]],
    ["no", true, ["active"]],
    [{ toString: 1 }, true, ["active"]],
    [[false], true, ["active"]],
    [[{ toString: 1, valueOf: 1 }], true, ["active"]],
  ])("active written as %j is %s, with %j", (active, isActive, warnings) =>
    expect(readRegistration(JSON.stringify({ ...WHOLE, active }))).toMatchObject({ active: isActive, warnings }),
  );
  it.each([[[{ toString: 1 }]], [[true]]])("x402Support written as %j is false", (x402Support) =>
    expect(readRegistration(JSON.stringify({ ...WHOLE, x402Support }))).toMatchObject({
      x402Supported: false,
      warnings: ["x402"],
    }),
  );

  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const STORED_SVG = `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}`;
  const V0 = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
  const images: [image: string, imageUrl: string | null, defects: string[]][] = [
    [STORED_SVG, STORED_SVG, []],
    [`data:image/svg+xml;utf8,${SVG}`, STORED_SVG, []],
    [`data:image/svg+xml;charset=utf-8,${encodeURIComponent(SVG)}`, STORED_SVG, []],
    [`data:image/svg+xml;base64,${SVG}`, STORED_SVG, []],
    ["DATA:image/PNG;base64,AAAA", "data:image/png;base64,AAAA", []],
    ["data:image/jpg;base64,AAAA", "data:image/jpeg;base64,AAAA", []],
    ["data:image/png;base64,", null, ["image"]],
    ["data:image/x-icon;base64,AAAA", null, ["image"]],
    ["data:application/xml;base64,AAAA", null, ["image"]],
    [`ipfs://${V0}/a.png`, `ipfs://${V0}/a.png`, []],
    [`/ipfs/${V0}/a.png`, `ipfs://${V0}/a.png`, ["image"]],
    [V0, `ipfs://${V0}`, ["image"]],
    ["ipfs:".repeat(200_000), null, ["image"]],
  ];
  it.each([
    ...[
      '<use href="#a"/>',
      "<svg:use/>",
      "< USE/>",
      '<filter id="a"/>',
      "<foreignObject/>",
      "<script/>",
      "<animate/>",
      '<g style="filter : blur(9px)"/>',
      "@keyframes a {}",
      "animation: a 1s",
    ],
    ...["<animateTransform/>", "<set/>", "<pattern/>", "<mask/>", '<image href="a"/>'],
    ...['<!DOCTYPE svg [<!ENTITY a "b">]>', '<!ENTITY a "b">', "\0"],
  ])("an SVG with %j is no picture", (part) => {
    for (const svg of [SVG.replace("/>", `>${part}</svg>`), `${part}${SVG}`]) {
      const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
      expect(readRegistration(JSON.stringify({ ...WHOLE, image }))).toMatchObject({
        imageUrl: null,
        warnings: ["image"],
      });
    }
  });
  it.each(images)("the image %.60s is %.60s", (image, imageUrl, warnings) =>
    expect(readRegistration(JSON.stringify({ ...WHOLE, image }))).toMatchObject({ imageUrl, warnings }),
  );

  const V1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
  const contents: [uri: string, path: string, defects: string[]][] = [
    ...[`ipfs://${V0}/a`, `ipfs://ipfs/${V0}/a`, `ipfs:/${V0}/a`, `IPFS:${V0}/a`, `dweb:/ipfs/${V0}/a`].map(
      (uri): [string, string, string[]] => [uri, `${V0}/a`, []],
    ),
    [`https://ipfs.io/ipfs/${V0}/a?filename=a.json#b`, `${V0}/a`, []],
    [`http://127.0.0.1:8080/ipfs/${V1}`, V1, []],
    [`https://${V1}.ipfs.dweb.link/a`, `${V1}/a`, []],
    [`https://${V1.toUpperCase()}.ipfs.w3s.link/`, `${V1}/`, []],
    [`ipfs://https://ipfs.io/ipfs/${V0}/a`, `${V0}/a`, []],
    [`/ipfs/${V0}/a`, `${V0}/a`, ["bare_cid"]],
    [`ipfs/${V0}`, V0, ["bare_cid"]],
    [`${V1}/a`, `${V1}/a`, ["bare_cid"]],
    [V1.toUpperCase(), V1.toUpperCase(), ["bare_cid"]],
    [`k${"2".repeat(55)}`, `k${"2".repeat(55)}`, ["bare_cid"]],
    [`z${"d".repeat(48)}`, `z${"d".repeat(48)}`, ["bare_cid"]],
    [`f01551220${"0".repeat(64)}`, `f01551220${"0".repeat(64)}`, ["bare_cid"]],
    [`u${"A".repeat(48)}`, `u${"A".repeat(48)}`, ["bare_cid"]],
  ];
  it.each(contents)("%.60s is asked of the configured gateway", (uri, path, warnings) =>
    expect(locateFile(uri, GATEWAYS, unpack)).toMatchObject({ url: `${GATEWAYS.ipfs}/ipfs/${path}`, warnings }),
  );
  it.each([
    ...["ipfs://../../api/v0/id", `ipfs://${V0}/../../../admin`, `/ipfs/${V0}/../../x`, "ipfs://..", "dweb:/ipfs/../x"],
    ...[`ipfs://${V0}/%2e%2E/%2e./x`, `ipfs://${V0}\\..\\..\\x`, `ipfs://${V0}/.\t./.\t./x`],
    ...[`ipfs://${V0}/..%2f..%2fx`, `ipfs://${V0}%2F%2e%2e%5c..%2fx`, `ipfs://${V0}/a%2f..`],
    ...["ar://../x", "ar://%2e%2e/x", "ar://a/..%2f..%2fx"],
  ])("%j does not leave what a gateway serves", (uri) => {
    const below = { ipfs: "https://ipfs.example/files", arweave: "https://ar.example/files" };
    expect(locateFile(uri, below, unpack)).toEqual({ kind: "unusable", reason: "uri_path" });
  });
  it.each([
    [`ipfs://${V0}/a..b/.c/...`, `${V0}/a..b/.c/...`],
    [`ipfs://${V0}/a?b=/../c`, `${V0}/a?b=/../c`],
    [`ipfs://${V0}/a b/%2ec`, `${V0}/a b/%2ec`],
  ])("%j has dots that are no step", (uri, path) =>
    expect(locateFile(uri, GATEWAYS, unpack)).toMatchObject({ url: `${GATEWAYS.ipfs}/ipfs/${path}` }),
  );
  it.each(["https://a.example/ipfs/x", "https://x.ipfs.io/a", `https://a.example/?at=/ipfs/${V0}`])(
    "%.60s is no content address",
    (url) => expect(locateFile(url, GATEWAYS, unpack)).toMatchObject({ url, warnings: [] }),
  );

  const base64 = (text: string) => `data:application/json;base64,${Buffer.from(text).toString("base64")}`;
  /** As agents on the chain have it. */
  const packed = (coding: string, bytes: Buffer) =>
    `data:application/json;enc=${coding};level=6;base64,${bytes.toString("base64")}`;
  const places: [uri: string, kind: string, defects: string[]][] = [
    [base64("{}"), "inline", []],
    ["{}", "inline", ["uri_is_file"]],
    ["%7B%7D", "inline", ["uri_is_file"]],
    [Buffer.from('{"a":"ÿ?>"}').toString("base64"), "inline", ["uri_is_file"]],
    [Buffer.from('{"a":"ÿ?>"}').toString("base64url"), "inline", ["uri_is_file"]],
    ["application/json;base64,e30=", "inline", ["uri_is_file"]],
    ["text/plain,{}", "inline", ["uri_is_file", "data_type", "data_plain"]],
    ["e".repeat(400_000), "unusable", ["uri_too_long"]],
    [`e30${"A".repeat(400_000)}`, "unusable", ["too_large"]],
    ["data:application/json,{}", "inline", ["data_plain"]],
    ["data:text/plain;base64,e30=", "inline", ["data_type"]],
    ["data:application/json;base64", "unusable", ["data_empty"]],
    ["data:application/json;base64,%%%", "unusable", ["data_undecodable"]],
    [base64("x".repeat(262_145)), "unusable", ["too_large"]],
    [packed("gzip", gzipSync("{}")), "inline", ["data_packed: gzip"]],
    [packed("br", brotliCompressSync("{}")), "inline", ["data_packed: br"]],
    [packed("zstd", zstdCompressSync("{}")), "inline", ["data_packed: zstd"]],
    [packed("deflate", deflateSync("{}")), "inline", ["data_packed: deflate"]],
    [packed("lzma", gzipSync("{}")), "unusable", ["data_coding: lzma"]],
    [packed("__proto__", gzipSync("{}")), "unusable", ["data_coding: __proto__"]],
    [packed("gzip", Buffer.from("{}")), "unusable", ["data_undecodable"]],
    ["data:application/json;enc=gzip,{}", "unusable", ["data_undecodable"]],
    // Ten megabytes of blanks in ten kilobytes.
    [packed("gzip", gzipSync(Buffer.alloc(1e7, 32))), "unusable", ["too_large"]],
    [packed("br", brotliCompressSync(Buffer.alloc(1e7, 32))), "unusable", ["too_large"]],
    [packed("zstd", zstdCompressSync(Buffer.alloc(1e7, 32))), "unusable", ["too_large"]],
    ["data:application/json;base64,{}", "inline", ["data_plain"]],
    ["data:application/json;base64,%7B%7D", "inline", ["data_plain"]],
    ["data:application/json;base64 e30=", "inline", ["data_blank"]],
    ["data:application/json;base64 ,e30=", "inline", []],
    [`data:application/json;enc=${"x".repeat(31)}\u{1f600};base64,e30=`, "unusable", ["data_coding: unknown"]],
    ["data:application/json;enc=\u202egnp.exe;base64,e30=", "unusable", ["data_coding: unknown"]],
    ["data:application/json;utf8,%7B%7D", "inline", ["data_plain"]],
    ["data:application/json; charset=utf-8; base64,e30=", "inline", []],
    ["http://a.example/x", "fetch", ["no_tls"]],
    [`Qm${"a".repeat(44)}`, "fetch", ["bare_cid"]],
    [`https://a.example/${"x".repeat(2_000)}`, "unusable", ["uri_too_long"]],
    ["ftp://a.example", "unusable", ["uri_scheme"]],
  ];
  it.each(places)("%.60s is %s with %j", (uri, kind, defects) => {
    const place = locateFile(uri, GATEWAYS, unpack);
    expect(place.kind).toBe(kind);
    if (place.kind === "inline") expect(readRegistration(place.text).traitCount).toBe(0);
    expect(place.kind === "unusable" ? [place.reason] : "warnings" in place ? place.warnings : []).toEqual(defects);
  });

  it.each(["[]", "null", "{", ""])("%j is no file, and says which defect it is", (text) => {
    const read = () => readRegistration(text);
    expect(read).toThrow(UnreadableFile);
    expect(read).toThrow(/^The file is not (a )?JSON/);
  });

  it("have a sentence, and what mends them; what was stored before there were codes is shown as it is", () => {
    for (const code of DEFECT_CODES.filter((each) => each !== "other")) {
      const view = defectView(defect(code, "image"));
      expect(view).toMatchObject({ code, says: expect.stringMatching(/\S/), mend: expect.stringMatching(/[.,1]$/) });
    }
    expect(defectView("missing: image").says).toBe("image is missing.");
    for (const old of ["name is missing.", "", "constructor", "missing:image", "<b>"])
      expect(defectView(old)).toEqual({ code: "other", says: old, mend: null });
  });

  it("are at most twenty of a file, and of bounded length", () => {
    expect(of({ services: Array.from({ length: 64 }, () => null) })).toHaveLength(20);
    expect(defect("unreachable", "x".repeat(10_000)).length).toBeLessThan(400);
  });
});

describe("registration files", () => {
  it.each(["", " "])("%j is none", (uri) =>
    expect(locateFile(uri, { ipfs: "", arweave: "" }, unpack)).toEqual({ kind: "absent" }),
  );
  it.each(["ftp://x", "data:application/json;base64", `data:application/json,${"x".repeat(400_000)}`])(
    "%.40s is of no use",
    (uri) => expect(locateFile(uri, { ipfs: "", arweave: "" }, unpack)).toMatchObject({ kind: "unusable" }),
  );
  it("of any JSON are read or refused, never stumbled over", () =>
    forAll([fc.jsonValue()], (value) => {
      if (value !== null && typeof value === "object" && !Array.isArray(value))
        expect(readRegistration(JSON.stringify(value)).traitCount).toBeGreaterThanOrEqual(0);
      else expect(() => readRegistration(JSON.stringify(value))).toThrow(SyntaxError);
    }));
});

it.each(REGISTRY_READERS.map((source) => [source.key, source] as const))(
  "%s refuses what is no item, and stumbles over none",
  (_, source) => {
    forAll([fc.jsonValue()], (value) => {
      source.idOf(value);
      expect(() => source.read(value)).toThrow();
    });
  },
);
