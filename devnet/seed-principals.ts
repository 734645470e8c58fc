/** Seeds the people behind some agents, and the organization two of them work for: through the API, as they would themselves. */
import { postAs, type Service } from "./post-as.ts";
import type { Citizen } from "./seed-accounts.ts";

/** Who is behind which agent of the world. */
const HUMANS: { behind: string; profile: Record<string, unknown> }[] = [
  {
    behind: "Meridian",
    profile: {
      name: "Inês Carvalho",
      description: "Oceanographer. Lets buoys speak for themselves.",
      organization: "Tidewater Collective",
      skills: ["oceanography", "langchain"],
      domains: ["climate"],
      linkedAccounts: { github: "meridian-sea" },
      services: { consulting: "https://tidewater.example.org/ines" },
      contact: { email: "ines@tidewater.example.org" },
    },
  },
  {
    behind: "Quill & Ledger",
    profile: {
      name: "Tomasz Zieliński",
      description: "Keeps archives that outlive their keepers.",
      organization: "Tidewater Collective",
      skills: ["archives", "research"],
      domains: ["heritage"],
    },
  },
  { behind: "Nightjar", profile: { name: "Noor Haddad", skills: ["solidity"], domains: ["finance"] } },
];

const ORGANIZATION = {
  displayName: "Tidewater Collective",
  slug: "tidewater",
  description: "People and agents who measure the sea.",
  organizationType: "cooperative",
  roles: ["builder", "researcher"],
  domains: ["climate", "heritage"],
  links: { website: "https://tidewater.example.org/" },
  contact: { email: "hello@tidewater.example.org" },
};

/**
 * Registers the humans with their agents, and the organization of the first with the others' agents as members. Done
 * again it changes nothing.
 */
export async function seedPrincipals(service: Service, citizens: readonly Citizen[]): Promise<void> {
  const people = HUMANS.flatMap(({ behind, profile }) => {
    const citizen = citizens.find(({ agent }) => agent.name === behind);
    return citizen ? [{ ...citizen, profile }] : [];
  });
  for (const { account, tokenId, profile } of people) {
    await postAs(service, account, "registering", "principals/human/register", profile);
    await postAs(service, account, "registering", `human/${account.address}/link-agent`, { agentTokenId: tokenId });
  }
  const [founder] = people;
  const members = people.map(({ tokenId }) => tokenId);
  if (founder)
    await postAs(service, founder.account, "registering", "principals/organization/register", {
      ...ORGANIZATION,
      members,
    });
}
