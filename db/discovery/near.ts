/** Reads the documents whose meaning is near to a question. */
import { all, type Condition } from "../../core/discovery/levels.ts";
import { cosine, nearnessesOf, numbersOf, type Questions, signsOf } from "../../core/discovery/meaning.ts";
import { INDEX_REACH } from "../schema/meaning-index.ts";
import { family, type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { type CandidatesQuery, COLUMNS, columnsOf, limitsOf, WHOLE_WORDS } from "./candidates.ts";

/** Documents whose vectors are compared number by number. */
const MAX_COMPARED = 200;
/** Documents that are found by meaning at most. */
const MAX_NEAR = 100;
/** With fewer that meet the filters among the nearest, this many are read. */
const FEW_DOCUMENTS = 50;
const FAR_REACH = 20_000;
/** Vectors of which the usual similarity is computed, and how long that is kept. */
const SAMPLE_SIZE = 500;
const SAMPLE_MS = 600_000;

type NearestQuery = Pick<CandidatesQuery, "minCred" | "maxPrice" | "inactive" | "needs"> & {
  /** Signs of the question's vector, and the model of both. */
  signs: string;
  model: string;
  /** What documents must meet; null for nothing. */
  condition: Condition;
  /** Of the documents of this many nearest vectors, those that meet it are read. */
  reach: number;
};

/** The documents whose vectors differ least from one in their signs, with the vectors. */
const NEAREST = family({
  name: "discovery-nearest",
  text: ({ signs, model, condition, reach, needs, ...limits }: NearestQuery, $) => {
    const where = [...(condition === null ? [] : [`d.words @@ ${$(condition)}::tsquery`]), ...limitsOf(limits, $)];
    return `
      select ${columnsOf(needs, $)}, v.vector
      from (
        select d.*, n.digest, n.distance
        from offchain.discovery_near(${$(signs)}::varbit, ${$(model)}::text, ${$(reach)}::int4) n
        join offchain.discovery_document d on d.directory_id = n.directory_id
        where ${["not d.copy", ...where].join(" and ")} order by n.distance, d.directory_id limit ${MAX_COMPARED}) c ${WHOLE_WORDS}
      join offchain.discovery_vector v on v.digest = c.digest
      where v.vector is not null`;
  },
  columns: { ...COLUMNS, vector: t.filtered(t.bytea) },
  examples: [
    { signs: "01", model: "m", condition: "'a'", minCred: 1, maxPrice: 0.1, needs: [], reach: 10 },
    { signs: "01", model: "m", condition: null, needs: [{ lexemes: ["a"], condition: "'b'" }], reach: 10 },
  ],
});

/** A sample of the vectors of a model: the order of digests does not depend on meaning. */
const SAMPLE = statement({
  name: "discovery-vector-sample",
  params: { model: t.text, most: t.int8 },
  text: `
    select vector from offchain.discovery_vector where model = $model and vector is not null
    order by digest limit $most`,
  columns: { vector: t.filtered(t.bytea) },
});

export type NearDocument = { row: Omit<Row<typeof NEAREST>, "vector">; nearness: number };
type NearQuestion = { vector: Float32Array; must: Condition; filter: Condition } & Omit<
  NearestQuery,
  "signs" | "model" | "condition" | "reach"
>;

/** Documents that meet the filters and are near to a question, nearest first. */
export async function near(
  db: Queryable,
  questions: Questions,
  { vector, must, filter, ...query }: NearQuestion,
): Promise<NearDocument[]> {
  const usual = await usualVector(db, questions);
  if (usual?.length !== vector.length) return [];
  const params = { ...query, signs: signsOf(vector), model: questions.model, condition: all([must, filter]) };
  let rows = await NEAREST.rows(db, { ...params, reach: INDEX_REACH });
  if (rows.length < FEW_DOCUMENTS && isNarrow(params)) rows = await NEAREST.rows(db, { ...params, reach: FAR_REACH });
  const similarities = rows.map((row) => cosine(vector, numbersOf(row.vector)));
  const nearnesses = nearnessesOf(similarities, product(vector, usual));
  return rows
    .flatMap(({ vector: _, ...row }, i) => {
      const nearness = nearnesses[i];
      return nearness === null || nearness === undefined ? [] : [{ row, nearness }];
    })
    .sort((a, b) => b.nearness - a.nearness || a.row.id - b.row.id)
    .slice(0, MAX_NEAR);
}

const isNarrow = ({ condition, minCred, maxPrice }: Pick<NearestQuery, "condition" | "minCred" | "maxPrice">) =>
  condition !== null || minCred !== undefined || maxPrice !== undefined;

const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i]!, 0);

type Usual = { readAt: number; mean: Promise<Float32Array | null> };
const usuals = new WeakMap<Questions, Usual>();

/** The mean of unit vectors of agents; null while there are none. A question's product with it is its mean cosine. */
function usualVector(db: Queryable, questions: Questions): Promise<Float32Array | null> {
  const known = usuals.get(questions);
  if (known && performance.now() - known.readAt < SAMPLE_MS) return known.mean;
  const usual = { readAt: performance.now(), mean: readUsual(db, questions.model) };
  usuals.set(questions, usual);
  const forget = () => void usuals.delete(questions);
  // Few vectors are not kept: there may be more soon.
  return usual.mean.then(
    (mean) => {
      if (mean === null) forget();
      return mean;
    },
    (error) => {
      forget();
      throw error;
    },
  );
}

async function readUsual(db: Queryable, model: string): Promise<Float32Array | null> {
  const rows = await SAMPLE.rows(db, { model, most: SAMPLE_SIZE });
  if (rows.length === 0) return null;
  const vectors = rows.map(({ vector }) => numbersOf(vector));
  const mean = new Float32Array(vectors[0]!.length);
  for (const numbers of vectors) {
    const length = Math.hypot(...numbers);
    for (let i = 0; i < mean.length; i++) mean[i]! += numbers[i]! / length / vectors.length;
  }
  return mean;
}
