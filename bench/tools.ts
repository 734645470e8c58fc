/**
 * `npm run bench -- tools`: what the tools cost a model on a seeded `npm start`: the list of them, and the answer to each
 * tool's example.
 */
import { toolDescriptions } from "../api/routes/mcp.ts";
import { TOOLS, type Tool } from "../api/tools/tools.ts";
import { atMost, printTable, sum } from "../harness/figures.ts";
import { jsonRequest } from "../harness/json-request.ts";
import { withSeededStack } from "../harness/stack.ts";

const MOST_LIST = 20_000;
const MOST_ANSWER = 6_000;
/** Characters of one token, about: the figure of the makers of models for English text and JSON. */
const CHARACTERS = 4;

export default async function tools(): Promise<void> {
  await withSeededStack(async ({ devnet: { apiUrl } }) => {
    const said = async (tool: Tool, args: object): Promise<number> => {
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool.name, arguments: args } };
      const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
      const answer = await fetch(`${apiUrl}/mcp`, jsonRequest("POST", body, headers));
      const { result } = (await answer.json()) as { result: { content: { text: string }[] } };
      return sum(result.content.map(({ text }) => text.length));
    };
    const { agents } = (await (await fetch(`${apiUrl}/api/v2/agents?limit=1`)).json()) as {
      agents: { agentAddress: string }[];
    };
    const print = printTable("", ["characters", "tokens"], 20);
    const row = (name: string, characters: number) => print(name, characters, Math.round(characters / CHARACTERS));
    const list = JSON.stringify({ tools: toolDescriptions() }).length;
    row("tools/list", list);
    const answers: number[] = [];
    for (const tool of TOOLS) {
      const text = tool.example.replace(/0x\w{40}/, agents[0]!.agentAddress);
      const args = tool.read({ text, data: { payload: "{}", signature: `0x${"1".repeat(130)}` } })!;
      answers.push(await said(tool, args));
      row(tool.name, answers.at(-1)!);
    }
    console.log(`\nA token is taken as ${CHARACTERS} characters.`);
    console.log(atMost("characters of tools/list", list, MOST_LIST));
    console.log(atMost("characters of an answer to an example", Math.max(...answers), MOST_ANSWER));
  });
}
