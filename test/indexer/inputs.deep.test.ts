/** The whole of inputs.test.ts, over a longer history. */
import "./inputs.test.ts";
