/** Properties: what must hold for all drawn values, from the seed of the run. A counterexample is shrunk and shown. */
import fc from "fast-check";

type Drawn<Values extends unknown[]> = { [I in keyof Values]: fc.Arbitrary<Values[I]> };
type Given<Values extends unknown[], Done> =
  | [holds: (...values: Values) => Done]
  | [options: fc.Parameters<Values>, holds: (...values: Values) => Done];

export function forAll<Values extends [unknown, ...unknown[]]>(drawn: Drawn<Values>, ...given: Given<Values, void>) {
  const [options, holds] = given.length === 1 ? [{}, given[0]] : given;
  fc.assert(fc.property<Values>(...drawn, holds), options);
}

/** For what is known later only. */
export async function forAllLater<Values extends [unknown, ...unknown[]]>(
  drawn: Drawn<Values>,
  ...given: Given<Values, Promise<void>>
) {
  const [options, holds] = given.length === 1 ? [{}, given[0]] : given;
  await fc.assert(fc.asyncProperty<Values>(...drawn, holds), options);
}
