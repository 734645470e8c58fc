/** The OpenAPI document of this service, read once. */
import { queryOptions } from "@tanstack/react-query";
import type { OpenApi } from "../../../core/described-operations.ts";
import { get } from "../api/answer.ts";

const PATH = "/api/v2/openapi.json";
export const openApi = queryOptions({
  queryKey: [PATH],
  queryFn: get<OpenApi>(PATH),
  staleTime: Number.POSITIVE_INFINITY,
});
