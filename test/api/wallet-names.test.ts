/** Names of wallets: who a wallet is known as, and that what only names a wallet gives it no name. */
import { getAddress } from "viem/utils";
import { beforeAll, expect, it } from "vitest";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";

const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;
const [OWN, NAMED, PROVEN, STATED, PERSON, COMPANY, NOBODY, GIVEN] = "a1 b2 c3 d4 e5 f6 77 88"
  .split(" ")
  .map(wallet) as [...`0x${string}`[]] & { length: 8 };

const api = apiForFile();
beforeAll(async () => {
  await plantAgents(api.pool, [
    { tokenId: 1, name: "Quill", owner: OWN!, agentAddress: OWN! },
    // Anybody registers an agent that names the wallet of another.
    { tokenId: 2, name: "Squatter", owner: NOBODY!, agentAddress: NAMED! },
    // It names the wallet of another, and was transferred to it.
    { tokenId: 3, name: "Scam", owner: GIVEN!, agentAddress: GIVEN!, mintedTo: NOBODY! },
    { tokenId: 4, name: "Gift", owner: OWN!, agentAddress: OWN!, mintedTo: NOBODY! },
  ]);
  await plantDirectory(api.pool, [
    { platform: "helixa", agent_id: "1", token_id: 1, name: "Quill", cred_score: 61, address: OWN! },
    { platform: "helixa", agent_id: "2", token_id: 2, name: "Squatter", cred_score: 9, address: NAMED! },
    {
      platform: "helixa",
      agent_id: "3",
      token_id: 3,
      name: "Scam",
      cred_score: 99,
      address: GIVEN!,
      wallet_proven: true,
    },
    {
      platform: "helixa",
      agent_id: "4",
      token_id: 4,
      name: "Gift",
      cred_score: 99,
      address: OWN!,
      wallet_proven: true,
    },
    { platform: "erc8004", agent_id: "13", name: "Kestrel", cred_score: 40, address: PROVEN!, wallet_proven: true },
    { platform: "erc8004", agent_id: "14", name: "Quill there", cred_score: 99, address: OWN!, wallet_proven: true },
    { platform: "x402-bazaar", agent_id: "15", name: "Stated", cred_score: 5, address: STATED! },
  ]);
  await api.sql`insert into offchain.human (id, principal, wallet, name, description, organization, skills, domains,
      linked_accounts, services, contact, created_at, updated_at)
    values ('hum_1', ${PERSON}, ${PERSON}, 'Inês Carvalho', '', '', '{}', '{}', '{}', '{}', '{}', now(), now())`;
  await api.sql`insert into offchain.organization (id, slug, slug_key, principal, wallet, display_name, description,
      organization_type, roles, skills, domains, links, contact, members, created_at, updated_at)
    values ('org_1', 'tidewater', 'tidewater', ${COMPANY}, ${COMPANY}, 'Tidewater', '', '', '{}', '{}', '{}', '{}',
      '{}', '[]', now(), now())`;
});

const named = (addresses: readonly string[]) => api.get(`/api/v2/wallets?addresses=${addresses.join(",")}`);

it("names own agents before others, then proven ones, people and organizations, in the order asked for", async () => {
  const asked = [
    COMPANY,
    STATED,
    PROVEN,
    NOBODY,
    OWN!.toUpperCase().replace("0X", "0x"),
    NAMED,
    GIVEN,
    PERSON,
  ] as string[];
  const nothing = { agent: null, human: null, organization: null };
  expect(await named(asked)).toMatchObject(
    answering(200, {
      wallets: [
        { ...nothing, address: getAddress(COMPANY!), organization: { slug: "tidewater", name: "Tidewater" } },
        {
          ...{ ...nothing, address: getAddress(PROVEN!) },
          agent: { platform: "erc8004", agentId: "13", tokenId: null, name: "Kestrel", credScore: 40 },
        },
        {
          ...{ ...nothing, address: getAddress(OWN!) },
          agent: { platform: "helixa", agentId: "1", tokenId: 1, name: "Quill", credScore: 61 },
        },
        { ...nothing, address: getAddress(PERSON!), human: { id: "hum_1", name: "Inês Carvalho" } },
      ],
    }),
  );
});

it.each([[["0x12"]], [["nobody"]], [[""]], [Array(101).fill(wallet("ab"))]])("refuses %j", async (addresses) => {
  expect(await named(addresses)).toMatchObject(refusal(400, "invalid_input"));
});
