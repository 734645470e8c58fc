/** The pages of the simulated provider: who signs in, and requests that it does not answer. */
import type { Person } from "./people.ts";

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1.25rem}
h1{font-size:1.35rem}button{display:block;width:100%;min-height:44px;margin:.6rem 0;font:inherit;text-align:start;padding:.5rem .9rem;border:1px solid;border-radius:8px;background:none;color:inherit;cursor:pointer}
button:hover,button:focus-visible{outline:2px solid}`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

function page(title: string, body: string, status: number): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${body}</main></html>`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "cache-control": "no-store",
    },
  });
}

/** @param asked the authorization request, sent back with the choice */
export function loginPage(people: Person[], asked: Record<string, string | undefined>): Response {
  const hidden = Object.entries(asked)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value!)}">`);
  const choices = people.map(
    ({ sub, name }) => `<button name="sub" value="${escaped(sub)}">Sign in as ${escaped(name)}</button>`,
  );
  const form = `<form method="post" action="login">${hidden.join("")}${choices.join("")}<button name="cancel" value="1">Cancel</button></form>`;
  return page("Test Login", `<p>A simulated identity provider. Choose a test person.</p>${form}`, 200);
}

export const refusalPage = (reasons: string[]): Response =>
  page(
    "This request cannot be answered",
    `<ul>${reasons.map((reason) => `<li>${escaped(reason)}</li>`).join("")}</ul>`,
    400,
  );
