/** What a soak asks for: kinds of requests with their shares. */
import { PLATFORM_SIMULATORS } from "../../devnet/simulators/upstreams.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { controlOf } from "../../harness/simulator-control.ts";
import type { DevnetFile } from "../../harness/stack.ts";
import { fetchInTime, type People } from "./people.ts";

/** Agents that `npm start` seeds. */
const SEEDED = 40;
const WORDS = ["Meridian", "bot", "ledger", "o", "qu", "Ondatra", "0x", "nobody has this name"];
export const GROUPS = ["welcome", "general"];
export const random = (below: number) => Math.floor(Math.random() * below);
export const oneOf = <T>(items: readonly T[]): T => items[random(items.length)]!;

type Kind = [kind: string, share: number, send: () => Promise<Response>, acts?: true];

/** Kinds with their share in the traffic; those that act need a registered agent. */
export function kindsOf(devnet: DevnetFile, people: People): Kind[] {
  const control = controlOf(devnet.simulatorUrl);
  const url = (path: string) => devnet.apiUrl + path;
  const someAgent = () => random(SEEDED + people.actors.length);
  const post = async (path: string, body?: object, actor = people.anyone()!) => {
    const authorization = await actor.signIn();
    return fetchInTime(url(path.replace("{id}", String(actor.tokenId))), jsonRequest("POST", body, { authorization }));
  };
  const get = (path: string) => fetchInTime(url(path));
  const rpc = (method: string, params: object) =>
    fetchInTime(
      url("/mcp"),
      jsonRequest("POST", { jsonrpc: "2.0", id: 1, method, params }, { accept: "application/json, text/event-stream" }),
    );

  const badCredential = () =>
    fetchInTime(url("/api/v2/auth/revoke"), {
      method: "POST",
      headers: { authorization: `Bearer 0x${"ab".repeat(20)}:${Date.now()}:0x${"1f".repeat(64)}1b` },
    });
  const onChain = () =>
    post("/api/v2/agent/{id}/update?onchain=true", { personality: { humor: `${oneOf(WORDS)} ${random(1000)}` } });
  async function proveX(): Promise<Response> {
    const actor = people.anyone()!;
    const { tokenId } = actor;
    const account = PLATFORM_SIMULATORS.x.account(`soak_${tokenId}`, 500_000 + tokenId, `helixa:${tokenId}`, "helixa");
    await control("PUT", account.path, account.planted);
    return post("/api/v2/agent/{id}/verify/x", account.claim, actor);
  }
  return [
    ["agent", 220, () => get(`/api/v2/agent/${someAgent()}`)],
    ["cred", 80, () => get(`/api/v2/agent/${someAgent()}/cred`)],
    ["history", 30, () => get(`/api/v2/agent/${someAgent()}/cred/history`)],
    ["report", 20, () => get(`/api/v2/agent/${someAgent()}/report`)],
    ["metadata", 30, () => get(`/api/v2/metadata/${someAgent()}`)],
    ["list", 80, () => get(`/api/v2/agents?sort=credScore&order=desc&limit=${1 + random(50)}&offset=${random(30)}`)],
    ["search", 60, () => get(`/api/v2/search?q=${encodeURIComponent(oneOf(WORDS))}`)],
    ["leaderboard", 20, () => get("/api/v2/leaderboard?limit=20")],
    ["directory", 80, () => get(`/api/terminal/agents?page=${1 + random(5)}&q=${encodeURIComponent(oneOf(WORDS))}`)],
    ["stats", 20, () => get("/api/v2/stats")],
    ["status", 10, () => get("/api/v2/status")],
    ["ready", 10, () => get("/ready")],
    ["openapi", 3, () => get("/api/v2/openapi.json")],
    ["page", 10, () => fetchInTime(url("/"), { headers: { accept: "text/html" } })],
    ["unknown", 10, () => get("/api/v2/agent/987654321")],
    ["card", 25, () => get(`/api/v2/card/${someAgent()}.png?size=${oneOf(["square", "og"])}`)],
    ["badge", 15, () => get(`/api/v2/badge/${someAgent()}.svg`)],
    ["mcp", 25, () => rpc("tools/call", { name: "get_cred", arguments: { ref: someAgent() } })],
    ["mcp search", 10, () => rpc("tools/call", { name: "search_agents", arguments: { q: oneOf(WORDS) } })],
    ["messages", 40, () => get(`/api/v2/messages/groups/${oneOf(GROUPS)}/messages?limit=20`)],
    ["bad credential", 10, () => badCredential()],
    ["mint", 5, () => people.mint()],
    ["cred report, paid", 5, () => people.report(random(SEEDED))],
    ["send", 30, () => post(`/api/v2/messages/groups/${oneOf(GROUPS)}/send`, { content: `At ${Date.now()}` }), true],
    ["update", 25, () => post("/api/v2/agent/{id}/update", { narrative: { mission: `Of ${Date.now()}` } }), true],
    ["update on chain", 4, () => onChain(), true],
    ["verify", 4, () => post("/api/v2/agent/{id}/verify"), true],
    ["verify x", 4, () => proveX(), true],
  ];
}
