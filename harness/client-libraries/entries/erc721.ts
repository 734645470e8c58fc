/** Marketplaces and wallets: they know ERC-721 and the contract's address, and find name and picture by the chain alone. */
import assert from "node:assert/strict";
import { until } from "../../until.ts";
import type { Client, Load } from "../client.ts";
import type { World } from "../world.ts";

const ABI = [
  "function tokenURI(uint256 tokenId) view returns (string)",
  "function contractURI() view returns (string)",
];
const PNG = Buffer.from("89504e470d0a1a0a", "hex");

type Metadata = { name: string; image: string; attributes?: unknown[] };
type Reader = { tokenURI(tokenId: bigint): Promise<string>; contractURI(): Promise<string> };

/** tokenURI → JSON → image, and the same for the contract (ERC-7572). */
async function shows(world: World, { tokenURI, contractURI }: Reader): Promise<string> {
  const uri = await until("the token has a URI", () => tokenURI(BigInt(world.agent)));
  const metadata = (await (await fetch(uri)).json()) as Metadata;
  assert.equal(metadata.name, "First");
  const image = await fetch(metadata.image);
  assert.equal(image.headers.get("content-type"), "image/png");
  const bytes = Buffer.from(await image.arrayBuffer());
  assert.deepEqual(bytes.subarray(0, PNG.length), PNG);
  const collection = (await (await fetch(await contractURI())).json()) as Metadata;
  assert.equal(collection.name, "Helixa");
  const picture = await fetch(collection.image);
  assert.match(picture.headers.get("content-type") ?? "", /^image\//);
  assert.match(await picture.text(), /^<svg /);
  return `tokenURI → ${metadata.attributes?.length} attributes and a PNG of ${bytes.length} bytes; contractURI → name and picture`;
}

export const ERC721_CLIENTS: Client[] = [
  {
    name: "viem, reading ERC-721",
    package: "viem",
    quick: true,
    async run(world, load: Load) {
      const { createPublicClient, http, parseAbi } = await load<typeof import("viem")>("viem");
      const client = createPublicClient({ transport: http(world.rpcUrl) });
      const contract = { address: world.contracts.identity!, abi: parseAbi(ABI) };
      const read = (functionName: string, args: bigint[]) =>
        client.readContract({ ...contract, functionName, args } as never) as Promise<string>;
      return shows(world, { tokenURI: (id) => read("tokenURI", [id]), contractURI: () => read("contractURI", []) });
    },
  },
  {
    name: "ethers, reading ERC-721",
    package: "ethers",
    async run(world, load: Load) {
      // biome-ignore lint/suspicious/noExplicitAny: the package is no dependency of this project
      const { Contract, JsonRpcProvider } = await load<any>("ethers");
      const provider = new JsonRpcProvider(world.rpcUrl);
      try {
        const contract = new Contract(world.contracts.identity, ABI, provider);
        return await shows(world, {
          tokenURI: (id) => contract.tokenURI(id),
          contractURI: () => contract.contractURI(),
        });
      } finally {
        provider.destroy();
      }
    },
  },
];
