/** The method of an operation; those that change something are of another colour. */
import type { Method } from "./document.ts";

export const MethodName = ({ method }: { method: Method }) => (
  <span className="docs-method" data-method={method}>
    {method.toUpperCase()}
  </span>
);
