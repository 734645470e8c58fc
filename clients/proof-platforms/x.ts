/** Proofs on X: the needle in an account's bio (API v2, app-only). https://docs.x.com/x-api/users */
import { createHash } from "node:crypto";
import { z } from "zod";
import { needleOf, quoteOf } from "../../core/agents/social-proofs.ts";
import type { XClaim, x } from "../../core/proof-platforms/x.ts";
import { withinAllowance } from "../http/on-behalf.ts";
import { scarceLookups } from "../http/scarce-lookups.ts";
import type { HttpAnswer, Upstream } from "../http.ts";
import type { FoundProof, KnownProof, NoProof, ProofReader, SoughtProof } from "../ports.ts";
import { unavailableError } from "../unavailable.ts";
import { bearer, type OpenReader } from "./opener.ts";

const FIELDS = "id,name,username,description";
/** Max ids or names of one lookup. */
const ACCOUNTS_PER_LOOKUP = 100;
/**
 * Max milliseconds that a proof waits for its lookup to be sent. New proofs have a share of 0.35 × 300 requests in 15
 * minutes. Once it is used up, one request of 100 names is sent every 8.6 s.
 */
const LOOKUP_TIMEOUT_MS = 12_000;
/** Bound: lookups on X that wait for an allowance, 1,000 in a process, 12 s each, 100 a request. */
const MAX_WAITING_LOOKUPS = 1_000;

/** An id is looked up and indexed unchanged. Old accounts have longer names than X allows today. */
const user = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string().regex(/^\w{1,50}$/),
  description: z.string().default(""),
});
const problem = z.object({
  title: z.string().default(""),
  detail: z.string().default(""),
  type: z.string().default(""),
  resource_id: z.string().optional(),
  value: z.string().optional(),
});
/** One account, one problem, or both. For a missing account X answers 200, its newer endpoints 404. */
const single = z.object({ data: user.optional(), errors: z.array(problem).default([]) });
const several = z.object({ data: z.array(z.unknown()).default([]), errors: z.array(z.unknown()).default([]) });

type Account = z.output<typeof user>;
type Problem = z.output<typeof problem>;
type Absent = "missing" | "suspended";

/** X allows 300 requests in 15 minutes. */
const RATE = { burst: 300, perSecond: 300 / 900 };

export const openX: OpenReader<typeof x.variables, XClaim> = ({ url, token }, { http }) =>
  token ? xProofs(http.upstream({ name: "X", baseUrl: url, headers: bearer(token), rate: RATE })) : null;

/** @param api opened on X_API_URL with the bearer token */
export function xProofs(api: Upstream): ProofReader<XClaim> {
  const account = (handle: string): Promise<Account | Absent> =>
    api.ask({
      path: `/2/users/by/username/${encodeURIComponent(handle)}`,
      query: { "user.fields": FIELDS },
      statuses: [200, 404],
      read: (answer) => {
        const { data, errors } = single.parse(bodyOf(answer));
        if (data && sameHandle(data.username, handle)) return data;
        return absenceOf(errors[0]);
      },
    });

  /**
   * Looks up names.
   * One item: an account that X leaves out or returns malformed fails its own name only: handles are checked before (15
   * letters, digits, `_`), and accounts and problems are read one by one.
   */
  const accountsBy = (handles: readonly string[]): Promise<(Account | Absent | Error)[]> => {
    const names = [...new Set(handles.map((handle) => handle.toLowerCase()))];
    return api.ask({
      path: "/2/users/by",
      query: { usernames: names.join(","), "user.fields": FIELDS },
      reads: names.length,
      statuses: [200, 404],
      read: (answer) => {
        const { accounts, problems } = readSeveral(answer);
        return handles.map((handle) => {
          const account = accounts.find(({ username }) => sameHandle(username, handle));
          if (account) return account;
          const error = problems.find(({ resource_id, value }) =>
            [resource_id, value].some((said) => said !== undefined && sameHandle(said, handle)),
          );
          return (
            absence(error) ?? unavailableError("X", { cause: new Error(`X says nothing of the account ${handle}`) })
          );
        });
      },
    });
  };

  const lookUp = scarceLookups({
    one: account,
    several: accountsBy,
    most: ACCOUNTS_PER_LOOKUP,
    maxWaitMs: LOOKUP_TIMEOUT_MS,
    places: MAX_WAITING_LOOKUPS,
  });

  return withinAllowance({
    batch: ACCOUNTS_PER_LOOKUP,
    async find({ handle }, sought) {
      const account = await lookUp(handle);
      return typeof account === "string" ? noAccount(handle, account) : judge(account, sought);
    },
    recheck: (proofs) =>
      api.ask({
        path: "/2/users",
        query: { ids: proofs.map(({ accountId }) => accountId).join(","), "user.fields": FIELDS },
        reads: proofs.length,
        statuses: [200, 404],
        read: (answer) => {
          const { accounts, problems } = readSeveral(answer);
          return proofs.map((proof) => judgeAgain(proof, accounts, problems));
        },
      }),
  });
}

/** The readable items; an unreadable account does not affect the others of its batch. */
const readable = <T>(shape: z.ZodType<T>, items: readonly unknown[]): T[] =>
  items.flatMap((item) => {
    const { success, data } = shape.safeParse(item);
    return success ? [data] : [];
  });

function readSeveral(answer: HttpAnswer): { accounts: Account[]; problems: Problem[] } {
  const { data, errors } = several.parse(bodyOf(answer));
  return { accounts: readable(user, data), problems: readable(problem, errors) };
}

/** The body of a 404 may be the problem itself, instead of a list of problems. */
function bodyOf({ status, json }: HttpAnswer): unknown {
  if (status !== 404 || (json as { errors?: unknown } | undefined)?.errors) return json;
  return { errors: [json] };
}

/** The absence that a problem reports; null when the problem is another one than a missing account. */
function absence(error: Problem | undefined): Absent | null {
  if (error && /suspended/i.test(error.detail)) return "suspended";
  if (error && (/resource-not-found$/.test(error.type) || /not found/i.test(error.title))) return "missing";
  return null;
}

/** @throws Error when the problem is another one than a missing account */
function absenceOf(error: Problem | undefined): Absent {
  const absent = absence(error);
  if (absent) return absent;
  throw new Error(`X answers neither an account nor its absence: ${error?.title ?? "nothing"}`);
}

const noAccount = (handle: string, absent: Absent): NoProof => ({
  reason: absent === "suspended" ? `The X account @${handle} is suspended.` : `There is no X account @${handle}.`,
  isAbsent: true,
});

function judge(account: Account, { prefix, tokenId }: SoughtProof): FoundProof | NoProof {
  const { id, username, description } = account;
  const needle = needleOf(prefix, tokenId);
  const quote = quoteOf(description, needle);
  if (quote === null) return { reason: `The bio of @${username} does not show ${needle}.`, found: description };
  return {
    accountId: id,
    handle: username,
    username,
    evidence: {
      url: `https://x.com/${username}`,
      id,
      quote,
      revision: createHash("sha256").update(description).digest("hex"),
    },
  };
}

/** A proof is valid as long as the same account, under the same name, shows the needle. A freed name may get another owner. */
function judgeAgain(proof: KnownProof, accounts: Account[], errors: Problem[]): FoundProof | NoProof | null {
  const account = accounts.find(({ id }) => id === proof.accountId);
  if (!account) {
    const error = errors.find(({ resource_id, value }) => [resource_id, value].includes(proof.accountId));
    const absent = absence(error);
    return absent && noAccount(proof.handle, absent);
  }
  if (!sameHandle(account.username, proof.handle))
    return { reason: `The X account @${proof.handle} was renamed to @${account.username}.` };
  return judge(account, proof);
}

const sameHandle = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
