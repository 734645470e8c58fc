/** Who comes first where there is not room for all: never by something that others can push up alone. */

/**
 * SQL of the place of a row: by its sum or by its age, whichever is better, so half of the places go by each. Late rows with more
 * money push no early one out, nor do many early small ones one of more money.
 * @param of.partition SQL of `partition by`; empty for all rows @param of.name what orders rows that are alike
 */
export const placeOf = (of: { partition?: string; sum: string; at: string; name: string }): string => {
  const byAge = `${of.at}, ${of.name}`;
  const place = (order: string) => `row_number() over (${of.partition ?? ""} order by ${order})`;
  return `least(${place(`${of.sum} desc, ${byAge}`)}, ${place(byAge)})`;
};

/** Every how many places one goes to the oldest, whatever their turn: so each is served some day. */
const OLDEST_EVERY = 4;

/**
 * SQL of the addresses of `rows` that are not done, in the order in which they are served: by turns, one of each value of the first
 * level before a second, within each value of the next level, and so on; within a turn the oldest first. What is done counts as
 * turns that were taken. One of four places goes to the oldest, whatever its turn, so that new owners with new agents and new
 * payers delay others, and keep none out.
 *
 * Bound: without a limit, all rows are sorted once for each level.
 * @param rows SQL of rows with `address`, `units`, `at`, `done`, and a column of each level: several of one address are served as one
 * @param levels columns, the innermost first
 */
export const inTurns = (rows: string, levels: readonly [string, ...string[]], limit: number | string): string => {
  const [first, ...outer] = levels;
  const placed = `
    select r.*, ${placeOf({ partition: `partition by r.${first}, r.done`, sum: "r.units", at: "r.at", name: "r.address" })} as place
    from (${rows}) r`;
  const turned = (from: string, level: string, order: string, i: number) => `
    select t${i}.*, row_number() over (partition by t${i}.${level} order by ${order}, t${i}.at, t${i}.address) as turn_${i}
    from (${from}) t${i}`;
  const all = outer.reduce(
    (from, level, i) => turned(from, level, `t${i + 1}.turn_${i}`, i + 1),
    turned(placed, first, "t0.done desc, t0.place", 0),
  );
  return `
    select q.address from (
      select o.address, min(o.turn_${outer.length}) as turn, min(o.at) as at from (${all}) o where not o.done group by o.address) q
    order by least(row_number() over (order by q.turn, q.at, q.address),
      ${OLDEST_EVERY} * row_number() over (order by q.at, q.address)), q.address
    limit ${limit}`;
};
