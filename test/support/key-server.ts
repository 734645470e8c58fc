/** An identity provider of a test's own: publishes keys, signs whatever it is told to, and fails on demand. */
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { listen } from "../../harness/listen.ts";

export const ISSUER = "idp.test";
export const AUDIENCE = "agents-app";

type Pair = Awaited<ReturnType<typeof generateKeyPair>> & { kid: string };
type Answer = { status: number; body: string };

export type KeyServer = {
  jwksUrl: string;
  /** How often the keys were asked for. */
  asked: number;
  /** What is answered instead of the keys; null = the keys. */
  instead: Answer | "hang" | null;
  /** Signs with the current key. Claims and header override the usual; undefined leaves one out. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: Pair["privateKey"]): Promise<string>;
  /** New keys; the former are no longer published. */
  rotate(): Promise<void>;
  current: Pair;
  close(): void;
};

const makePair = async (kid: string): Promise<Pair> => ({
  ...(await generateKeyPair("ES256", { extractable: true })),
  kid,
});

/**
 * @param now milliseconds since the epoch at which tokens are issued
 * @param onHang called when it was asked and will not answer
 */
export async function startKeyServer(now: () => number, onHang = () => {}): Promise<KeyServer> {
  let rotations = 0;
  const server = await listen(async (_, response) => {
    state.asked++;
    if (state.instead === "hang") return onHang();
    const { status, body } = state.instead ?? { status: 200, body: JSON.stringify({ keys: [await published()] }) };
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  const published = async (): Promise<JWK> => ({
    ...(await exportJWK(state.current.publicKey)),
    ...{ kid: state.current.kid, alg: "ES256", use: "sig" },
  });
  const state: KeyServer = {
    jwksUrl: `${server.url}/jwks.json`,
    asked: 0,
    instead: null,
    current: await makePair("key-0"),
    token(claims = {}, header = {}, key = state.current.privateKey) {
      const at = Math.floor(now() / 1000);
      const usual = { iss: ISSUER, aud: AUDIENCE, sub: "did:idp:1", iat: at, exp: at + 3600 };
      const payload = Object.fromEntries(
        Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", kid: state.current.kid, typ: "JWT", ...header })
        .sign(key);
    },
    async rotate() {
      state.current = await makePair(`key-${++rotations}`);
    },
    close: server.close,
  };
  return state;
}
