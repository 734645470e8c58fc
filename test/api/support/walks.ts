/** Lists and answers read as clients read them: page by page, and again only where something changed. */
import { expect, it } from "vitest";
import type { TestApi } from "./api.ts";

/** A numbered page, whose rows are its member `K`. */
export type Paged<K extends string, Row> = Record<"total" | "page" | "pages" | "limit" | "offset", number> &
  Record<K, Row[]>;

/** Every row of a list. @param read a page, by the end of its query */
export async function walked<P extends { nextCursor: string | null }, R>(
  read: (cursor: string) => Promise<P>,
  rowsOf: (page: P) => readonly R[],
): Promise<R[]> {
  const rows: R[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: P = await read(cursor && `&cursor=${cursor}`);
    rows.push(...rowsOf(page));
    cursor = page.nextCursor;
  }
  return rows;
}

/** What reads a list of evidence, which must be there. @param path with a question of its own */
export const pagesAt =
  <P>(api: TestApi, path: string) =>
  async (search = ""): Promise<P & Record<string, unknown>> => {
    const { status, body } = await api.get(`${path}${search && `&${search}`}`);
    expect(status).toBe(200);
    return body as never;
  };

/** HEAD has no body, and who has the answer already gets none again. */
export async function expectValidated(api: TestApi, path: string): Promise<void> {
  const etag = (await api.get(path)).headers.get("etag")!;
  expect(await api.send("HEAD", path)).toMatchObject({ status: 200, text: "" });
  expect(await api.get(path, { headers: { "if-none-match": etag } })).toMatchObject({ status: 304, text: "" });
}

/** What each list of evidence about an agent does: its pages reach each row once, and it takes only cursors of its own. */
export function itHasPages<P extends { nextCursor: string | null }>(
  api: TestApi,
  path: string,
  { idsOf, limits, cursors, many }: { idsOf(page: P): unknown[]; limits: number[]; cursors: string[]; many: number },
): void {
  const read = async (search: string) => (await api.get(`${path}&${search}`)).body as unknown as P;
  it.each(limits)("are each reached once, in pages of %i", async (limit) => {
    const rowsOf = (page: P) => {
      expect(idsOf(page).length).toBeLessThanOrEqual(limit);
      return idsOf(page);
    };
    const whole = idsOf(await read("limit=100"));
    expect(await walked((cursor) => read(`limit=${limit}${cursor}`), rowsOf)).toEqual(whole);
    expect(whole).toHaveLength(many);
  });

  it("have an ETag, which says that nothing changed", () => expectValidated(api, path));

  it.each(cursors)("refuse the cursor %s, which is none", async (cursor) =>
    expect((await api.get(`${path}&cursor=${cursor}`)).status).toBe(400),
  );
}
