/** Proofs on GitHub: a public gist of the account with one small file. https://docs.github.com/rest/gists */
import { object, z } from "zod";
import type { GithubClaim, github } from "../../core/proof-platforms/github.ts";
import { gistFileName, gistProof } from "../../core/proof-platforms/github.ts";
import { withinAllowance } from "../http/on-behalf.ts";
import { isLoopback } from "../http/public-address.ts";
import type { Upstream } from "../http.ts";
import type { FoundProof, KnownProof, NoProof, ProofReader, SoughtProof } from "../ports.ts";
import type { PublicHttp } from "../public-http.ts";
import { openPublicHttp } from "../public-http.ts";
import { type Gist, type Gists, openGists, tooLarge } from "./github-gists.ts";
import { bearer, type OpenReader } from "./opener.ts";

/** GitHub allows 5,000 requests per hour with a token, and 60 without. */
const RATE = {
  withToken: { burst: 500, perSecond: 5_000 / 3_600 },
  withoutToken: { burst: 60, perSecond: 60 / 3_600 },
};

export const openGithub: OpenReader<typeof github.variables, GithubClaim> = (
  { url, rawUrl, token },
  { http, userAgent, proxies, onClose },
) => {
  const raw = openPublicHttp({ userAgent, proxies, origins: [new URL(rawUrl).origin], loopback: isLoopback(rawUrl) });
  onClose(() => raw.close());
  const api = http.upstream({
    name: "GitHub",
    baseUrl: url,
    headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28", ...bearer(token) },
    rate: token ? RATE.withToken : RATE.withoutToken,
    maxBytes: 4_000_000,
  });
  return githubProofs(api, raw);
};

/**
 * @param api opened on GITHUB_API_URL, with the token if there is one
 * @param raw reaches the host of raw files only
 */
export function githubProofs(api: Upstream, raw: PublicHttp): ProofReader<GithubClaim> {
  const gists = openGists(api, raw);

  async function findIn(gistId: string, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
    const found = await gists.read(gistId);
    if (found === "large") return tooLarge(gistFileName(sought.prefix));
    if (found === "missing" || found === "unchanged") return { reason: "There is no such gist." };
    return judge(gists, found, login, sought);
  }

  async function find({ username, gistId }: GithubClaim, sought: SoughtProof): Promise<FoundProof | NoProof> {
    if (gistId !== undefined) return findIn(gistId, username, sought);
    const fileName = gistFileName(sought.prefix);
    const search = await gists.list(username, fileName);
    if (search === null) return { reason: `There is no GitHub account ${username}.`, isAbsent: true };
    const where = search.searched === null ? "" : ` among its newest ${search.searched}: name the gist`;
    let refusal: NoProof = {
      reason: `The GitHub account ${username} has no public gist with a file ${fileName}${where}.`,
    };
    for (const id of search.ids) {
      const found = await findIn(id, username, sought);
      if (!("reason" in found)) return found;
      refusal = found;
    }
    return refusal;
  }

  /** A proof is valid as long as the same gist of the same account, under the same name, contains it. */
  async function again(proof: KnownProof): Promise<FoundProof | NoProof> {
    const evidence = object({
      url: z.string(),
      id: z.string(),
      etag: z.string().optional(),
      quote: z.string().optional(),
    })
      .loose()
      .safeParse(proof.evidence);
    if (!evidence.success) return find({ username: proof.handle }, proof);
    const { quote, etag, ...place } = evidence.data;
    // An earlier version kept no quote: the gist is read once more.
    const found = await gists.read(place.id, quote === undefined ? undefined : etag);
    if (found === "unchanged") {
      const { accountId, handle, username } = proof;
      return { accountId, handle, username, evidence: { ...place, quote: quote!, ...(etag && { etag }) } };
    }
    if (found === "missing") return { reason: "The gist was deleted." };
    if (found === "large") return tooLarge(gistFileName(proof.prefix));
    const judged = await judge(gists, found, proof.handle, proof);
    if ("reason" in judged || judged.accountId === proof.accountId) return judged;
    return { reason: `The name ${proof.handle} belongs to another GitHub account now.` };
  }

  return withinAllowance({ find, batch: 1, recheck: (proofs) => Promise.all(proofs.map(again)) });
}

/** Whether a gist proves the agent for the account. */
async function judge(gists: Gists, found: Gist, login: string, sought: SoughtProof): Promise<FoundProof | NoProof> {
  const { owner, html_url, history, etag } = found;
  if (!owner || owner.login.toLowerCase() !== login.toLowerCase())
    return { reason: `The gist does not belong to the GitHub account ${login}.` };
  if (owner.type !== "User") return { reason: "The gist belongs to an organisation, not to a person's account." };
  if (!found.public) return { reason: "The gist is not public." };
  if (found.fork_of) return { reason: "The gist is a fork of another one." };
  const fileName = gistFileName(sought.prefix);
  const content = await gists.contentOf(found, fileName);
  if ("reason" in content) return content;
  const quote = gistProof(content.text, sought.prefix, sought.tokenId);
  if (quote === null)
    return { reason: `The file ${fileName} says something else than ${sought.tokenId}.`, found: content.text };
  return {
    accountId: owner.id,
    handle: owner.login,
    username: owner.login,
    evidence: {
      url: html_url ?? `https://gist.github.com/${found.id}`,
      id: found.id,
      quote,
      ...(history[0] && { revision: history[0].version }),
      ...(etag && { etag }),
    },
  };
}
