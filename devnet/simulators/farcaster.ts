/** Farcaster, simulated: a hub's HTTP API in the form of Snapchain or of the older Hubble, and the part of Neynar's API that the service uses. */
import { Hono } from "hono";
import { z } from "zod";
import { type Collection, control, type MakeSimulator, reply, type SimulatedPlatform } from "./simulator.ts";

const cast = z.object({
  hash: z.string(),
  text: z.string(),
  /** Hash of the cast it replies to. */
  parent: z.string().optional(),
  /** Byte positions of mentions. */
  mentionsPositions: z.array(z.int().min(0)).default([]),
});
const account = z.object({ fid: z.coerce.number().int().min(1), casts: z.array(cast).default([]) });
type Cast = z.output<typeof cast>;
type Account = z.output<typeof account> & { username: string };

/** Seconds between the Unix epoch and Farcaster's. */
const EPOCH = 1_609_459_200;
const CAST_AT = 1_790_000_000;
const FIELD = { timestamp: 1_628_882_891, owner: `0x${"0".repeat(40)}`, signature: "AA==" };

type Format = "snapchain" | "hubble";

type Accounts = ReturnType<typeof accountsIn>;
/** Look-ups of planted accounts. */
function accountsIn(collection: Collection<Account>) {
  const ofFid = (fid: string | undefined) => collection.values().filter((cast) => String(cast.fid) === fid);
  return {
    byName: (name: string | undefined) => collection.get((name ?? "").toLowerCase()),
    ofFid,
    /** Casts of a fid in the order in which they were planted: newest first. */
    castsOf: (fid: string | undefined) => ofFid(fid).flatMap(({ casts }) => casts),
    all: () => collection.values(),
  };
}

/** One page of casts, and the token of the next page; an empty token after the last page. */
function page(all: Cast[], token: string | undefined, size: number): { casts: Cast[]; next: string } {
  const from = Number(Buffer.from(token ?? "", "base64").toString() || 0);
  const next = from + size < all.length ? Buffer.from(String(from + size)).toString("base64") : "";
  return { casts: all.slice(from, from + size), next };
}

/** A hub answers 400 for data it does not have. */
function hubRefusal(format: Format, what: string, code: "NotFound" | "InvalidArgument"): Response {
  if (format !== "hubble")
    return reply(
      { error: `Failed to get ${what}`, error_detail: `status: ${code}, message: "${what} not found"` },
      400,
    );
  const errCode = code === "NotFound" ? "not_found" : "bad_request.validation_failure";
  return reply(
    { errCode, presentable: false, name: "HubError", code: 3, details: `${what} not found`, metadata: {} },
    400,
  );
}

const nameProof = ({ username, fid }: Account) => ({
  ...FIELD,
  name: username,
  fid,
  type: username.endsWith(".eth") ? "USERNAME_TYPE_ENS_L1" : "USERNAME_TYPE_FNAME",
});

const message = (fid: number, { hash, text, parent, mentionsPositions }: Cast) => ({
  data: {
    type: "MESSAGE_TYPE_CAST_ADD",
    fid,
    timestamp: CAST_AT - EPOCH,
    network: "FARCASTER_NETWORK_MAINNET",
    castAddBody: {
      embedsDeprecated: [],
      mentions: mentionsPositions.map(() => 1),
      parentCastId: parent ? { fid: 1, hash: parent } : null,
      parentUrl: null,
      text,
      embeds: [],
      mentionsPositions,
      type: "CAST",
    },
  },
  hash,
  hashScheme: "HASH_SCHEME_BLAKE3",
  signature: "AA==",
  signatureScheme: "SIGNATURE_SCHEME_ED25519",
  signer: `0x${"1".repeat(64)}`,
});

/** The HTTP API of a hub. @param format in which it words its errors */
function hubApi(accounts: Accounts, format: () => Format): Hono {
  const api = new Hono();
  api.get("/v1/userNameProofByName", (c) => {
    const owner = accounts.byName(c.req.query("name"));
    return owner ? reply(nameProof(owner)) : hubRefusal(format(), "username proof", "NotFound");
  });
  api.get("/v1/userNameProofsByFid", (c) => reply({ proofs: accounts.ofFid(c.req.query("fid")).map(nameProof) }));
  api.get("/v1/castsByFid", (c) => {
    const { fid, pageSize, pageToken } = c.req.query();
    if (!/^\d+$/.test(fid ?? "")) return hubRefusal(format(), "casts", "InvalidArgument");
    const { casts, next } = page(accounts.castsOf(fid), pageToken, Number(pageSize ?? 100));
    return reply({ messages: casts.map((cast) => message(Number(fid), cast)), nextPageToken: next });
  });
  api.get("/v1/castById", (c) => {
    const cast = accounts.castsOf(c.req.query("fid")).find(({ hash }) => hash === c.req.query("hash"));
    return cast ? reply(message(Number(c.req.query("fid")), cast)) : hubRefusal(format(), "cast", "NotFound");
  });
  return api;
}

const user = ({ fid, username }: Account) => ({ object: "user", fid, username, score: 0.9 });
const neynarCast = (owner: Account, { hash, text, parent }: Cast) => ({
  object: "cast",
  hash,
  text,
  author: user(owner),
  parent_hash: parent ?? null,
  timestamp: new Date(CAST_AT * 1000).toISOString(),
});
const absent = (what: string) =>
  reply({ code: "NotFound", message: `${what} not found`, property: null, status: 404 }, 404);

/** Neynar's API, mounted below `/v2/farcaster`. */
function neynarApi(accounts: Accounts): Hono {
  const neynar = new Hono();
  neynar.use("*", async (c, next) => {
    if (c.req.header("x-api-key")) return next();
    return reply({ code: "Unauthorized", message: "Incorrect or missing API key", status: 401 }, 401);
  });
  neynar.get("/user/by_username", (c) => {
    const owner = accounts.byName(c.req.query("username"));
    return owner ? reply({ user: user(owner) }) : absent("User");
  });
  neynar.get("/user/bulk", (c) => {
    const fids = (c.req.query("fids") ?? "").split(",");
    return reply({ users: fids.flatMap((fid) => accounts.ofFid(fid).slice(0, 1).map(user)) });
  });
  neynar.get("/feed/user/casts", (c) => {
    const [owner] = accounts.ofFid(c.req.query("fid"));
    if (!owner) return reply({ casts: [], next: { cursor: null } });
    const { casts, next } = page(owner.casts, c.req.query("cursor"), Number(c.req.query("limit") ?? 25));
    return reply({ casts: casts.map((cast) => neynarCast(owner, cast)), next: { cursor: next || null } });
  });
  neynar.get("/cast", (c) => {
    for (const owner of accounts.all()) {
      const cast = owner.casts.find(({ hash }) => hash === c.req.query("identifier"));
      if (cast) return reply({ cast: neynarCast(owner, cast) });
    }
    return absent("Cast");
  });
  return neynar;
}

const makeFarcaster: MakeSimulator = ({ world }) => {
  const collection = world.collection<Account>("farcaster.users");
  const settings = world.collection<{ format: Format }>("farcaster.settings");
  const accounts = accountsIn(collection);
  const api = hubApi(accounts, () => settings.get("errors")?.format ?? "snapchain");
  api.route("/v2/farcaster", neynarApi(accounts));

  const controls = control("/users", collection, (username, body) => ({ ...account.parse(body), username }));
  controls.put("/errors", async (c) => {
    const format = z.object({ format: z.enum(["snapchain", "hubble"]) }).parse(await c.req.json());
    settings.set("errors", format);
    return reply(format);
  });

  return {
    source: "farcaster",
    aliases: ["neynar"],
    api,
    control: controls,
    failure: (status) => ({ body: { error: "Internal error", error_detail: `status: Unavailable (${status})` } }),
  };
};

export const farcaster: SimulatedPlatform = {
  make: makeFarcaster,
  environment: (url) => ({ FARCASTER_HUB_URL: `${url}/farcaster`, NEYNAR_API_URL: `${url}/neynar` }),
  account: (name, id, shows) => ({
    path: `farcaster/users/${name}`,
    planted: { fid: id, casts: [{ hash: `0x${String(id).padStart(40, "c")}`, text: `claiming ${shows}` }] },
    claim: { username: name },
  }),
};
