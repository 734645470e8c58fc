/** Expressions of PromQL, as far as a test needs them: which metrics and labels they name, and whether they can be read at all. */

export type Named = { metric: string; labels: string[] };

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|\$?[a-zA-Z_:][a-zA-Z0-9_:]*|\[[^\]]*\]|\d+(?:\.\d+)?(?:e-?\d+)?|[<>=!]=|=~|!~|[-+*/%^<>=(){},]/gy;
/** What stands between expressions and is no metric. */
const WORDS = new Set(["by", "without", "on", "ignoring", "and", "or", "unless", "offset", "bool", "group_left"]);
const GROUPINGS = new Set(["by", "without", "on", "ignoring", "group_left"]);
const FUNCTIONS = new Set(
  "sum max min avg count topk rate increase delta changes time absent min_over_time max_over_time histogram_quantile".split(
    " ",
  ),
);

/** @throws Error for what is no expression: a character that belongs to none, brackets that do not match, an unknown function */
export function namedIn(expression: string): Named[] {
  const tokens: string[] = [];
  let end = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(expression); found; found = TOKEN.exec(expression)) {
    end = TOKEN.lastIndex;
    if (found[0].trim() !== "") tokens.push(found[0]);
  }
  if (end !== expression.length) throw new Error(`cannot be read from "${expression.slice(end)}" on`);
  matched(tokens);
  const named: Named[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (GROUPINGS.has(token)) {
      const labels = tokens.slice(i + 2, tokens.indexOf(")", i)).filter((one) => one !== ",");
      named.push({ metric: "", labels });
      i = tokens.indexOf(")", i);
    } else if (!/^[a-zA-Z_:]/.test(token) || WORDS.has(token)) {
    } else if (tokens[i + 1] === "(" || GROUPINGS.has(tokens[i + 1] ?? "")) {
      if (!FUNCTIONS.has(token)) throw new Error(`there is no function ${token}`);
    } else {
      const close = tokens[i + 1] === "{" ? tokens.indexOf("}", i) : i;
      const matchers = tokens.slice(i + 2, close);
      named.push({ metric: token, labels: matchers.filter((_, n) => n % 4 === 0) });
      i = close;
    }
  }
  return named;
}

function matched(tokens: string[]): void {
  const open: string[] = [];
  for (const token of tokens) {
    if (token === "(" || token === "{") open.push(token);
    if ((token === ")" && open.pop() !== "(") || (token === "}" && open.pop() !== "{"))
      throw new Error("brackets do not match");
  }
  if (open.length > 0) throw new Error("a bracket stays open");
}
