/** The port of the indexer's own server: GraphQL and SQL over the index that is being built. */

/** Who asks: the address that the indexer counts a query against, and the end of the request. */
export type IndexReader = { address: string; gone: AbortSignal };

/** Queries of the indexer. Each returns the text of its answer, unread. */
export interface IndexQueries {
  /**
   * One GraphQL operation; its errors are members of the answer.
   * @throws Failure payload_too_large, rate_limited, overloaded, upstream_unavailable
   */
  graphql(request: object, reader: IndexReader): Promise<string>;
  /** The schema of `graphql` in GraphQL's own language. @throws Failure upstream_unavailable */
  schema(reader: IndexReader): Promise<string>;
  /**
   * One SELECT in Ponder's wire format (superjson of sql, params, typings).
   * @throws Failure invalid_input for a query that is refused or fails, timeout, rate_limited, overloaded, upstream_unavailable
   */
  sql(query: string, reader: IndexReader): Promise<string>;
}
