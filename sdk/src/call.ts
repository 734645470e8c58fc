/** One call of one operation: signs in as the operation requires, adds an Idempotency-Key, pays, and throws refusals as errors. */
import createFetch, { type FetchOptions, type FetchResponse, type ParseAs } from "openapi-fetch";
import { ApiError } from "./errors.ts";
import type { paths } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { type Fetch, paymentOf } from "./retry.ts";
import type { SignIn } from "./sign-in.ts";
import { TO_BE_SIGNED } from "./sign-request.ts";
import { type Time, unlessAborted } from "./time.ts";

type Method = "get" | "put" | "post" | "delete";
/** Paths that have an operation of this method. */
type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends { responses: unknown } ? Path : never;
}[keyof paths];
type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];

/** Parameters, body, headers and signal of a call; how its answer is read (JSON by default). */
type Options<Path extends keyof paths, M extends Method, As> = Omit<
  FetchOptions<Operation<Path, M>>,
  Exclude<keyof RequestInit, "signal" | "headers" | "body"> | "fetch" | "baseUrl" | "middleware" | "parseAs"
> & { parseAs?: As };
type Required<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];
/** Options are optional when the operation requires none. */
type Rest<O> = Required<O> extends never ? [options?: O] : [options: O];

export type Answer<Data> = { data: Data; response: Response };
type DataOf<Path extends keyof paths, M extends Method, As> =
  FetchResponse<Operation<Path, M> & Record<string, unknown>, { parseAs: As }, `${string}/${string}`> extends infer R
    ? R extends { data: infer Data; error?: never }
      ? Data
      : never
    : never;

/** Any operation by method and path. @throws ApiError, ConnectionError, the signal's reason */
export type Call = <M extends Method, Path extends PathsWith<M>, As extends ParseAs = "json">(
  method: M,
  path: Path,
  ...options: Rest<Options<Path, M, As>>
) => Promise<Answer<DataOf<Path, M, As>>>;

/** The same for one method, giving the data alone. */
export type CallData<M extends Method> = <Path extends PathsWith<M>, As extends ParseAs = "json">(
  path: Path,
  ...options: Rest<Options<Path, M, As>>
) => Promise<DataOf<Path, M, As>>;

export type Credentials = {
  signIn: SignIn | null;
  /** The wallet signs each request instead. */
  signs: boolean;
  accessToken: (() => string | Promise<string>) | null;
  apiKey: string | null;
};

/** @param parts.paying a fetch that pays a 402 and retries where that is safe */
export function calls(parts: { baseUrl: string; paying: Fetch; credentials: Credentials; time: Time }): Call {
  const { baseUrl, paying, credentials, time } = parts;
  const http = createFetch<Record<string, Record<Method, object>>>({ baseUrl });

  /** Sends the request; once more with a new signature when a cached credential is refused: it may have been revoked. */
  async function send(request: Request, name: string, signal: AbortSignal | null): Promise<Response> {
    const { access, paid } = OPERATIONS[name] ?? {};
    const isWrite = request.method !== "GET";
    const body = isWrite ? await request.text() : "";
    if (isWrite && (access || paid) && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", crypto.randomUUID());
    const startedAt = time.now();
    for (;;) {
      const headers = new Headers(request.headers);
      const signed = await sign(headers, access, credentials);
      // URL and init, not a Request: the payer sends the same parts again with a payment, and the caller's own signal stops retries.
      const init = { headers: Object.fromEntries(headers), signal, ...(body !== "" && { body }) };
      const response = await paying(request.url, { method: request.method, ...init });
      if (response.status !== 401 || signed === null) return response;
      if (!credentials.signIn?.giveUp(signed, startedAt, await revokedBeforeOf(response.clone()))) return response;
      await response.body?.cancel();
    }
  }

  const call = async (method: Method, path: string, options: { signal?: AbortSignal } = {}) => {
    const { signal } = options;
    const name = `${method.toUpperCase()} ${path}`;
    const fetch = (request: Request) => send(request, name, signal ?? null);
    const asked = http.request(method, path, { ...options, fetch });
    const { data, error, response } = await unlessAborted(asked, signal);
    if (response.ok) return { data, response };
    throw new ApiError(response, error, { payment: paymentOf(response), now: time.now() });
  };
  return call as unknown as Call;
}

/** Earliest date of a valid credential after a revocation; null without one. */
async function revokedBeforeOf(refusal: Response): Promise<number | null> {
  const { revokedBefore } = ((await refusal.json().catch(() => null)) ?? {}) as { revokedBefore?: unknown };
  const date = typeof revokedBefore === "string" ? Date.parse(revokedBefore) : Number.NaN;
  return Number.isNaN(date) ? null : date;
}

/** Adds the credential of the operation, unless the caller gave one. @returns the wallet's, where it was added */
async function sign(
  headers: Headers,
  access: (typeof OPERATIONS)[string]["access"],
  { signIn, signs, accessToken, apiKey }: Credentials,
): Promise<string | null> {
  if (!access || headers.has("authorization") || headers.has("x-siwa")) return null;
  if (access === "apiKey") {
    if (apiKey !== null && !headers.has("x-api-key")) headers.set("x-api-key", apiKey);
    return null;
  }
  const asPerson = accessToken !== null && (access === "human" || access === "owner");
  if (asPerson) headers.set("authorization", `Bearer ${await accessToken()}`);
  if (signIn === null || (asPerson && access === "human")) return null;
  if (signs) {
    headers.set(TO_BE_SIGNED, "");
    return null;
  }
  const credential = await signIn.credential();
  if (asPerson) headers.set("x-siwa", credential);
  else headers.set("authorization", `Bearer ${credential}`);
  return credential;
}
