/** The method of an operation; those that change something are of another colour. */
import type { Method } from "../../../core/described-operations.ts";

export const MethodName = ({ method }: { method: Method }) => (
  <span className="docs-method" data-method={method}>
    {method.toUpperCase()}
  </span>
);
