/** The name of the service, as the page's own head has it: no request is needed for it. */
export const SITE_NAME =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content ?? "";
