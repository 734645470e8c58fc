/** The provider of embeddings, by which agents are also found by meaning. */
import { z } from "zod";
import type { BUDGETS } from "./budgets.ts";
import { integer, webUrl } from "./checks.ts";
import { ConfigError, secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Numbers of a vector, at most. */
const MAX_DIMENSIONS = 4_096;

/** Variables of `Embeddings` in `.env.example`. */
export const EMBEDDINGS = {
  EMBEDDINGS_URL: variable(
    ["api", "workers"],
    "Endpoint of embeddings in the common shape, such as https://api.openai.com/v1/embeddings; questions and public texts of agents are sent there. Unset: agents are found by words only, and nothing is sent",
    webUrl,
  ),
  EMBEDDINGS_API_KEY: secret(
    variable(["api", "workers"], "Key of the provider of embeddings, sent as a bearer token", z.string().min(1)),
  ),
  EMBEDDINGS_MODEL: variable(
    ["api", "workers"],
    "Model of the embeddings; another model makes all vectors anew",
    z.string().min(1).max(200),
  ),
  EMBEDDINGS_DIMENSIONS: variable(
    ["api", "workers", "migration"],
    "Numbers of a vector of the model",
    integer(8, MAX_DIMENSIONS),
  ),
  EMBEDDINGS_DOCUMENTS: variable(
    ["workers"],
    "Agents that have a vector, those of the highest cred. Beyond 100000 install the extension vector in Postgres",
    integer(1, 10_000_000),
    "50000",
  ),
} satisfies Record<string, Variable>;

/** Options of `embeddings` in the configuration; undefined: nothing is sent. @throws ConfigError */
export function embeddingsConfig(v: ValuesOf<typeof EMBEDDINGS & typeof BUDGETS>) {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_DIMENSIONS: dimensions } = v;
  if (!url) return undefined;
  if (!model || !dimensions)
    throw new ConfigError("EMBEDDINGS_URL needs EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS: set all of them or none");
  return {
    url,
    model,
    dimensions,
    apiKey: v.EMBEDDINGS_API_KEY,
    documents: v.EMBEDDINGS_DOCUMENTS,
    textsPerDay: v.DAILY_BUDGETS["embedding-texts"],
    questionsPerDay: v.DAILY_BUDGETS["embedding-questions"],
  };
}
