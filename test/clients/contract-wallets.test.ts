/** Wallets that are contracts sign in, on a real chain: deployed ones (ERC-1271) and those not deployed yet (ERC-6492). */
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { signedTexts } from "../../api/guards/signed-text.ts";
import { walletGuard } from "../../api/guards/wallet.ts";
import { networksOf } from "../../api/http/client-network.ts";
import type { Chain } from "../../clients/ports.ts";
import { siwaText, siweText } from "../../core/callers/signed-texts.ts";
import { parseCredential, type SignInKind } from "../../core/callers/wallet-credential.ts";
import { Failure } from "../../core/errors.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { contractWorld } from "../support/contract-world.ts";
import { counterfactual, FACTORY } from "../support/counterfactual.ts";
import { perFile } from "../support/started.ts";

const HOST = "agents.test";
const SERVICE = { hosts: [HOST], name: "Helixa", webUrl: `https://${HOST}`, chainId: 8453 };
const NOW = Date.now();

const world = perFile(contractWorld);
let chain: Chain;
let deployed: Hex;
const key = privateKeyToAccount(generatePrivateKey());
beforeAll(async () => {
  chain = chainAt(world.anvil.url);
  deployed = await world.deploy("ContractWallet", [key.address]);
});

const texts = {
  siwa: (address: Hex, at: number) => siwaText(HOST, address, String(at)),
  siwe: (address: Hex, at: number) =>
    siweText({
      ...{ host: HOST, address, serviceName: SERVICE.name, webUrl: SERVICE.webUrl, chainId: 8453 },
      ...{ timestamp: String(at), issuedAt: new Date(at).toISOString() },
    }),
};
/** A credential of a contract wallet, signed by its key; `wrap` turns the signature into what goes over the wire. */
async function credential(kind: SignInKind, address: Hex, { signer = key, wrap = (s: Hex): Hex => s, at = NOW } = {}) {
  return `${address}:${at}:${wrap(await signer.signMessage({ message: texts[kind](address, at) }))}`;
}
const UNLIMITED = { take: () => undefined, giveBack: async () => {}, attempt: () => ({ begin: async () => {} }) };

/** How the guard lets it in, or the code of its refusal. */
async function entry(header: string, accepted: SignInKind[] = ["siwe", "siwa"], asked = chain): Promise<string> {
  try {
    const guard = walletGuard(SERVICE, signedTexts(asked, UNLIMITED));
    const asker = { networks: networksOf("127.0.0.1"), now: NOW, attempt: UNLIMITED.attempt() };
    const caller = await guard.verify(parseCredential(header), accepted, asker);
    return `${caller.kind} ${caller.wallet}`;
  } catch (error) {
    return error instanceof Failure ? error.code : `not a Failure: ${String(error)}`;
  }
}

describe("a deployed wallet", () => {
  it("signs in by SIWA and by SIWE, each where it is taken", async () => {
    const wallet = deployed.toLowerCase();
    expect(await entry(await credential("siwa", deployed))).toBe(`siwa ${wallet}`);
    expect(await entry(await credential("siwe", deployed))).toBe(`siwe ${wallet}`);
    expect(await entry(await credential("siwe", deployed), ["siwa"])).toBe("unauthenticated");
  });

  it("is not signed for by another key, nor for another time", async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    expect(await entry(await credential("siwa", deployed, { signer: stranger }))).toBe("unauthenticated");
    const other = (await credential("siwa", deployed)).replace(String(NOW), String(NOW - 1));
    expect(await entry(other)).toBe("unauthenticated");
  });
});

describe("a wallet not deployed yet", () => {
  it("signs in with what would deploy it, and nothing is deployed", async () => {
    const { address, wrap } = counterfactual(key.address);
    expect(await entry(await credential("siwa", address, { wrap }))).toBe(`siwa ${address.toLowerCase()}`);
    expect(await entry(await credential("siwe", address, { wrap }))).toBe(`siwe ${address.toLowerCase()}`);
    expect(await chain.code(address.toLowerCase() as Hex)).toBe("0x");
  });

  it("cannot be claimed with somebody else's wallet, nor without the wrapping", async () => {
    const { address, wrap } = counterfactual(key.address);
    const stranger = privateKeyToAccount(generatePrivateKey());
    const theirs = counterfactual(stranger.address);
    expect(await entry(await credential("siwa", address, { wrap, signer: stranger }))).toBe("unauthenticated");
    expect(await entry(await credential("siwa", address, { wrap: theirs.wrap, signer: stranger }))).toBe(
      "unauthenticated",
    );
    expect(await entry(await credential("siwa", address))).toBe("unauthenticated");
  });

  it("signs in the same way once it is deployed", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const { address, data, wrap } = counterfactual(owner.address);
    await world.mined(world.people[0]!.sendTransaction({ to: FACTORY, data }));
    expect(await chain.code(address.toLowerCase() as Hex)).not.toBe("0x");
    for (const form of [wrap, (s: Hex) => s])
      expect(await entry(await credential("siwa", address, { signer: owner, wrap: form }))).toBe(
        `siwa ${address.toLowerCase()}`,
      );
  });
});

it("while the chain is away contract wallets get no verdict, and keys sign in all the same", async () => {
  const away = chainAt("http://127.0.0.1:9");
  expect(await entry(await credential("siwa", deployed), ["siwa"], away)).toBe("upstream_unavailable");
  const { address, wrap } = counterfactual(key.address);
  expect(await entry(await credential("siwa", address, { wrap }), ["siwa"], away)).toBe("upstream_unavailable");
  expect(await entry(await credential("siwa", key.address), ["siwa"], away)).toBe(`siwa ${key.address.toLowerCase()}`);
});
