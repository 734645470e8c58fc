/** Cases of service.test.ts: social proofs through the real processes on a real chain: the trait is mined once, the score follows the proof up and down. */
import { beforeAll, expect, it } from "vitest";
import { identityAbi } from "../../../abis/identity.ts";
import { agentWallet, testChain } from "../../../harness/agent-wallet.ts";
import { until } from "../../../harness/until.ts";
import type { Simulated } from "../../clients/support/simulated.ts";
import type { Parts } from "../../support/parts.ts";
import { patientFetch } from "../../support/patient-fetch.ts";

export function proofsCases(world: () => Parts, simulators: () => Simulated): void {
  let sim: Simulated;
  let parts: Parts;
  beforeAll(() => {
    parts = world();
    sim = simulators();
  });

  const wallet = () => agentWallet({ host: parts.host });
  type Answer = { tokenId: number; txHash: `0x${string}` };
  async function post(by: ReturnType<typeof wallet>, path: string, body: unknown) {
    const response = await patientFetch(`${parts.apiUrl}/api/v2/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: await by.siwa() },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  }
  const get = async <T>(path: string) => (await (await patientFetch(`${parts.apiUrl}/api/v2/${path}`)).json()) as T;
  /** The raw value of a signal of the score. */
  const signal = async (address: string, key: string) => {
    const { factors } = await get<{ factors: Record<string, { rawScore: number }> }>(`agent/${address}/cred`);
    return factors[key]!.rawScore;
  };

  it("an agent proves its accounts, keeps its traits, and loses the points of a proof that vanished", async () => {
    const ada = wallet();
    const { tokenId } = await until("the agent is registered", async () => {
      const { status, body } = await post(ada, "mint", { name: "Ada" });
      return status === 201 ? body : undefined;
    });
    const path = `agent/${tokenId}`;
    await sim.control("PUT", `ethos/${ada.address}`, { score: 1_777 });
    await sim.control("PUT", "x/users/ada", { id: "1", description: `helixa:${tokenId}` });
    await sim.control("PUT", "github/users/ada", {
      id: 2,
      gists: [{ id: "aa", public: true, files: { "helixa-verify.txt": String(tokenId) } }],
    });
    await sim.control("PUT", "farcaster/users/ada", { fid: 3, casts: [{ hash: "0x01", text: `helixa:${tokenId}` }] });

    const answers = await Promise.all([
      post(ada, `${path}/verify/x`, { handle: "ada" }),
      post(ada, `${path}/verify/github`, { username: "ada" }),
      post(ada, `${path}/verify/farcaster`, { username: "ada" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await signal(ada.address, "verify")).toBe(75);

    const chain = testChain(parts.rpcUrl);
    const traits = () =>
      chain.readContract({
        address: parts.identity,
        abi: identityAbi,
        functionName: "getTraits",
        args: [BigInt(tokenId)],
      });
    const names = async () => (await traits()).map(({ name, category }) => `${category}/${name}`).sort();
    const all = ["verification/farcaster-verified", "verification/github-verified", "verification/x-verified"];
    expect(await names()).toEqual(all);
    for (const { body } of answers) {
      const { status } = await chain.getTransactionReceipt({ hash: body.txHash });
      expect(status).toBe("success");
    }
    // Asked again, each is confirmed: no second trait, the same transaction.
    expect((await post(ada, `${path}/verify/x`, { handle: "ada" })).body.txHash).toBe(answers[0].body.txHash);
    expect(await names()).toEqual(all);
    await until("the index shows the traits", async () => (await signal(ada.address, "traits")) === 36);

    // One account is deleted, another platform is away: that one's proof stands meanwhile.
    const status = async (platform: "x" | "github") =>
      (await get<Record<typeof platform, { status: string }>>(`${path}/verifications`))[platform].status;
    await sim.fail("github", { status: 503, times: 1_000 });
    await sim.control("DELETE", "x/users/ada");
    await until("the proof lapses", async () => (await status("x")) === "lapsed");
    await until("the other is stale", async () => (await status("github")) === "stale");
    expect(await signal(ada.address, "verify")).toBe(50);
    expect(await signal(ada.address, "traits")).toBe(36);
    await sim.fail("github", { times: 0 });
    await until("it is confirmed", async () => (await status("github")) === "verified");
    await until(
      "the reputation is fetched",
      async () => (await get<{ ethosScore: number }>(path)).ethosScore === 1_777,
    );

    await sim.control("PUT", "x/users/ada", { id: "1", description: `helixa:${tokenId}` });
    const revived = await post(ada, `${path}/verify/x`, { handle: "ada" });
    expect(revived).toMatchObject({ status: 200, body: { txHash: answers[0].body.txHash } });
    expect(await signal(ada.address, "verify")).toBe(75);
    expect(await names()).toEqual(all);
  });
}
