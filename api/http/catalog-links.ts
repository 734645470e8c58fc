/** Links from answers and pages to what describes the API (RFC 8288): a program that got any of them finds the rest. */

export const CATALOG_PATH = "/.well-known/api-catalog";

const link = (path: string, rel: string, type: string): string => `<${path}>; rel="${rel}"; type="${type}"`;

export const CATALOG_LINKS = {
  /** Of the catalog itself (RFC 9727, section 4.2). */
  type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  /** The header `Link`. */
  header: [
    link(CATALOG_PATH, "api-catalog", "application/linkset+json"),
    link("/openapi.json", "service-desc", "application/vnd.oai.openapi+json;version=3.0"),
    link("/docs", "service-doc", "text/html"),
    link("/llms.txt", "describedby", "text/plain"),
  ].join(", "),
};
