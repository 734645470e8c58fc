/** The X adapter against the simulator: bios, both ways of having no such account, limits, credit, and looking again. */
import { beforeEach, describe, expect, it } from "vitest";
import type { FoundProof, ProofReader } from "../../clients/ports.ts";
import { xProofs } from "../../clients/proof-platforms/x.ts";
import type { XClaim } from "../../core/proof-platforms/x.ts";
import { perFile } from "../support/started.ts";
import { simulated, unavailable } from "./support/simulated.ts";

const sim = perFile(simulated);
let x: ProofReader<XClaim>;
const AUTHORIZED = { headers: { authorization: "Bearer key" } };
const sought = { tokenId: 1, prefix: "helixa" };
const plant = (handle: string, id: string, description: string, more = {}) =>
  sim.control("PUT", `x/users/${handle}`, { id, name: handle, description, ...more });

beforeEach(async () => {
  x = xProofs(sim.upstream("/x", AUTHORIZED));
  await sim.fail("x", { times: 0 });
  await sim.control("PUT", "x/not-found", { style: "200" });
  await plant("Ada", "100", "Mathematician. helixa:1");
});

describe("looking for a proof", () => {
  it("finds it, with X's own id and spelling, in any case of the handle", async () => {
    expect(await x.find({ handle: "aDA" }, sought)).toEqual({
      accountId: "100",
      handle: "Ada",
      username: "Ada",
      evidence: {
        url: "https://x.com/Ada",
        id: "100",
        quote: "Mathematician. helixa:1",
        revision: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  it.each(["", "no needle", "helixa:12", "xhelixa:1"])("finds none in the bio %j", async (bio) => {
    await plant("Ada", "100", bio);
    expect(await x.find({ handle: "Ada" }, sought)).toEqual({
      reason: "The bio of @Ada does not show helixa:1.",
      found: bio,
    });
  });

  it.each(["200", "404"])("knows that there is no such account, told with status %s", async (style) => {
    await sim.control("PUT", "x/not-found", { style });
    expect(await x.find({ handle: "nobody" }, sought)).toEqual({
      reason: "There is no X account @nobody.",
      isAbsent: true,
    });
  });

  it("knows a suspended account", async () => {
    await plant("Bad", "101", "helixa:1", { suspended: true });
    const reason = "The X account @Bad is suspended.";
    expect(await x.find({ handle: "Bad" }, sought)).toEqual({ reason, isAbsent: true });
  });

  it.each([
    ["no credit", { status: 402 }],
    ["a forbidden key", { status: 403 }],
    ["an error of X", { status: 503 }],
    ["a limit", { status: 429 }],
    ["the older limit", { status: 429, body: { errors: [{ code: 88, message: "Rate limit exceeded" }] } }],
    ["HTML", { body: "<html><body>Something went wrong</body></html>" }],
    ["a gateway's 404", { status: 404, body: { error: "no route" } }],
    ["an empty answer", { body: {} }],
    ["errors of another kind", { body: { errors: [{ title: "Field Authorization Error", detail: "x", type: "y" }] } }],
    ["another account", { body: { data: { id: "9", username: "Eve", description: "helixa:1" } } }],
    [
      "an id beyond an index entry",
      { body: { data: { id: "1".repeat(5_000), username: "Ada", description: "helixa:1" } } },
    ],
    ["an id that is no number", { body: { data: { id: "1\0", username: "Ada", description: "helixa:1" } } }],
    ["silence", { hangs: true as const }],
  ])("takes %s for an error, never for a missing proof", async (_what, plan) => {
    await sim.fail("x", plan);
    await unavailable(x.find({ handle: "Ada" }, sought));
  });

  it("keeps away until the window that X names has passed", async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 120);
    await sim.fail("x", { status: 429, headers: { "x-rate-limit-reset": reset } });
    const { retryAfter } = (await unavailable(x.find({ handle: "Ada" }, sought))).options;
    expect(retryAfter).toBeGreaterThan(110);
    await unavailable(x.find({ handle: "Ada" }, sought));
  });

  it("without a key is an error", async () => {
    await unavailable(xProofs(sim.upstream("/x")).find({ handle: "Ada" }, sought));
  });
});

describe("looking while the allowance is used up", () => {
  /** An allowance that has none left for the first `refusals` requests; says how often it was asked. */
  const scarce = (refusals: number) => {
    const spent = { asked: 0, taken: 0 };
    const spend = async () => {
      spent.asked++;
      if (spent.asked <= refusals) return 1;
      spent.taken++;
      return 0;
    };
    return { spent, spend };
  };

  it("one request serves all who wait, and tells each its own answer", async () => {
    const names = Array.from({ length: 60 }, (_, i) => `waits_${i}`);
    for (const [i, name] of names.entries())
      if (i % 3 !== 2) await plant(name, String(300 + i), i % 3 === 0 ? `helixa:${i}` : "");
    const { spent, spend } = scarce(names.length);
    const found = await Promise.all(
      names.map((handle, i) => x.find({ handle }, { prefix: "helixa", tokenId: i }, spend)),
    );
    expect(found.map((answer) => ("reason" in answer ? answer.reason : answer.handle))).toEqual(
      names.map((name, i) => {
        if (i % 3 === 0) return name;
        return i % 3 === 1 ? `The bio of @${name} does not show helixa:${i}.` : `There is no X account @${name}.`;
      }),
    );
    expect(spent.taken).toBe(1);
  });

  it("a caller with nothing left is served by the request of another", async () => {
    const [empty, full] = [scarce(Infinity), scarce(1)];
    const answers = await Promise.all([
      x.find({ handle: "Ada" }, sought, empty.spend),
      x.find({ handle: "Ada" }, sought, full.spend),
    ]);
    expect(answers).toMatchObject([{ handle: "Ada" }, { handle: "Ada" }]);
    expect([empty.spent.taken, full.spent.taken]).toEqual([0, 1]);
  });

  it("an error of the shared request is one for all of it; a name that X leaves out, for that one", async () => {
    await sim.fail("x", { status: 503 });
    const shared = scarce(2);
    const both = ["Ada", "nobody"].map((handle) => x.find({ handle }, sought, shared.spend));
    await Promise.all(both.map(unavailable));
    await sim.fail("x", { body: { data: [{ id: "100", username: "Ada", description: "helixa:1" }] } });
    const again = scarce(2);
    const [ada, nobody] = ["Ada", "nobody"].map((handle) => x.find({ handle }, sought, again.spend));
    expect(await ada).toMatchObject({ handle: "Ada" });
    await unavailable(nobody!);
  });

  it("is refused at once when the allowance is away for longer than a caller waits", async () => {
    const { retryAfter } = (await unavailable(x.find({ handle: "Ada" }, sought, async () => 600))).options;
    expect(retryAfter).toBe(600);
  });
});

describe("looking again", () => {
  const known = async (handle: string, id: string, tokenId: number) => {
    await plant(handle, id, `helixa:${tokenId}`);
    const found = (await x.find({ handle }, { ...sought, tokenId })) as FoundProof;
    return { ...found, ...sought, tokenId };
  };

  it("asks for all at once, by id, and tells each apart", async () => {
    const proofs = [
      await known("stands", "201", 1),
      await known("emptied", "202", 2),
      await known("renamed", "203", 3),
      await known("deleted", "204", 4),
      await known("banned", "205", 5),
      await known("recycled", "206", 6),
      await known("recased", "207", 7),
    ];
    await plant("emptied", "202", "moved on");
    await sim.control("DELETE", "x/users/renamed");
    await plant("renamed2", "203", "helixa:3");
    await sim.control("DELETE", "x/users/deleted");
    await plant("banned", "205", "helixa:5", { suspended: true });
    await plant("recycled", "999", "helixa:6");
    await plant("ReCased", "207", "helixa:7");
    expect(x.batch).toBe(100);
    expect(await x.recheck(proofs)).toMatchObject([
      { accountId: "201", handle: "stands" },
      { reason: "The bio of @emptied does not show helixa:2." },
      { reason: "The X account @renamed was renamed to @renamed2." },
      { reason: "There is no X account @deleted." },
      { reason: "The X account @banned is suspended." },
      { reason: "There is no X account @recycled." },
      { accountId: "207", handle: "ReCased" },
    ]);
  });

  it("says nothing about an account that X left out of its answer", async () => {
    const proof = await known("stands", "201", 1);
    await sim.fail("x", { body: { data: [{ id: "1", username: "other" }] } });
    expect(await x.recheck([proof])).toEqual([null]);
  });

  it("is an error when X is away", async () => {
    const proof = await known("stands", "201", 1);
    await sim.fail("x", { status: 500 });
    await unavailable(x.recheck([proof]));
  });
});
