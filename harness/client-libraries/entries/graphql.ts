/** Generators of GraphQL clients: their code is type-checked strictly and then run. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newApiKey } from "../../api-key.ts";
import { LONG } from "../../patience.ts";
import type { Client } from "../client.ts";
import type { World } from "../world.ts";
import { bin, inProject, TSCONFIG } from "./openapi.ts";

/** Reads an agent's name; it does not compile where the types forget what a column is. */
const USE = `import { print } from "graphql";
import { graphql } from "./api/gql.ts";
import type { AgentQuery } from "./api/graphql.ts";
declare const process: { argv: string[] };
const [, , url = "", key = "", id = ""] = process.argv;
const query = print(graphql(\`query Agent($tokenId: Int!) { agent(tokenId: $tokenId) { name mintedAt } }\`));
const headers = { "content-type": "application/json", "x-api-key": key };
const body = JSON.stringify({ query, variables: { tokenId: Number(id) } });
const { data } = (await (await fetch(url, { method: "POST", headers, body })).json()) as { data: AgentQuery };
// @ts-expect-error The column is a number.
const mintedAt: string = data.agent!.mintedAt;
console.log(data.agent?.name, typeof mintedAt);
`;

/** Makes the code from what a source of the schema says, compiles it and runs a program on it. */
async function generates(world: World, key: string, schema: object | string): Promise<void> {
  const config = {
    ...{ schema: [schema], documents: ["use.ts"], ignoreNoDocuments: false },
    generates: {
      "./api/": {
        preset: "client",
        presetConfig: { fragmentMasking: false },
        config: { useTypeImports: true, enumsAsTypes: true, importExtension: ".ts" },
      },
    },
  };
  const files = { "use.ts": USE, "codegen.json": JSON.stringify(config), "tsconfig.json": TSCONFIG };
  await inProject({ ...files, "package.json": '{"type":"module"}' }, async (run, folder) => {
    await run(bin("graphql-codegen"), "--config", "codegen.json");
    await run(bin("tsc"), "-p", ".");
    const said = await run(join(folder, "use.ts"), `${world.apiUrl}/api/v2/graphql`, key, String(world.agent));
    assert.match(said, /^First number/);
  });
}

export const GRAPHQL_CLIENTS: Client[] = [
  {
    package: "@graphql-codegen/cli",
    timeoutMs: 4 * LONG,
    async run(world) {
      const key = await newApiKey(world.databaseUrl, "index:read");
      const url = `${world.apiUrl}/api/v2/graphql`;
      await generates(world, key, { [url]: { headers: { "X-API-Key": key } } });
      await generates(world, key, `${url}/schema.graphql`);
      return "its code, from introspection and from the published schema, compiles under strict and reads an agent";
    },
  },
];
