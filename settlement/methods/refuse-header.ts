/** The refusal of a request whose headers bring no well-formed payment. */
import { fail } from "../../core/errors.ts";

/** @param message ends the sentence "The header …" @throws Failure invalid_input */
export function refuseHeader(name: string, message: string, cause?: unknown): never {
  return fail("invalid_input", `The header ${name} ${message}.`, { details: [{ path: name, message }], cause });
}
