/** JSON-RPC nodes for the pool's tests: a test says what each answers. */
import { listen } from "../../../harness/listen.ts";

export type Asked = { id: number; method: string; params: unknown[] };
/** An HTTP answer; `drop` cuts the connection, `hang` never answers. */
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown; drop?: true; hang?: true };

export type RpcServer = {
  url: string;
  /** Bodies as they came: one request or a batch. */
  posts: (Asked | Asked[])[];
  /** Requests of a method in all posts. */
  asked(method: string): Asked[];
  /** Answers to one request: a value, or `error(...)`. */
  one: (call: Asked) => unknown;
  /** Answers to a post before `one` is asked; undefined: nothing special. */
  post: (body: Asked | Asked[]) => Answer | undefined;
  close(): Promise<void>;
};

class RpcError {
  readonly error: { code: number; message: string; data?: unknown };
  constructor(error: RpcError["error"]) {
    this.error = error;
  }
}
export const error = (code: number, message: string, data?: unknown) => new RpcError({ code, message, data });

export async function rpcServer(): Promise<RpcServer> {
  const answerOne = (call: Asked) => {
    const value = call.method === "eth_chainId" && !served.ownChainId ? "0x2105" : served.one(call);
    const body = value instanceof RpcError ? { error: value.error } : { result: value };
    return { jsonrpc: "2.0", id: call.id, ...body };
  };
  const server = await listen(async (incoming, outgoing) => {
    let text = "";
    for await (const piece of incoming) text += piece;
    const body = JSON.parse(text) as Asked | Asked[];
    served.posts.push(body);
    const special = served.post(body);
    if (special?.hang) return;
    if (special?.drop) return void incoming.socket.destroy();
    const answer = special?.body ?? (Array.isArray(body) ? body.map(answerOne) : answerOne(body));
    outgoing.writeHead(special?.status ?? 200, { "content-type": "application/json", ...special?.headers });
    outgoing.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  const served: RpcServer & { ownChainId: boolean } = {
    ownChainId: false,
    url: `${server.url}/v1/secret-key`,
    posts: [],
    asked: (method) => served.posts.flat().filter((call) => call.method === method),
    one: () => "0x1",
    post: () => undefined,
    close: async () => server.close(),
  };
  return served;
}
