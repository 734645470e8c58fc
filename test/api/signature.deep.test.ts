/** The random cases of signature.test.ts, a larger share of them. */
import "./signature.test.ts";
