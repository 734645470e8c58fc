/** What web/bodies.ts reads of the schemas when the terminal is built. */
declare module "virtual:bodies" {
  type FieldShape = {
    optional?: true;
    /** Max characters. */
    max?: number;
    /** Max entries of a list. */
    most?: number;
    /** Least and greatest value of a number. */
    range?: [least: number, greatest: number];
    choices?: string[];
    /** Of a value that is no text; `nullable` is a text that null clears. */
    kind?: "integer" | "array" | "object" | "boolean" | "nullable";
  };
  /** By the body, and by the path of the field. */
  const bodies: Record<string, Record<string, FieldShape>>;
  export default bodies;
}
