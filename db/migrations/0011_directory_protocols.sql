-- The protocols of rows that were written before there was a column for them; their time of change stays.
ALTER TABLE "offchain"."directory" DISABLE TRIGGER USER;--> statement-breakpoint
UPDATE "offchain"."directory" d SET "protocols" = s.spoken
FROM (
  SELECT r.id, array_remove(ARRAY[
    CASE WHEN n.names && '{mcp,streamable-http,sse}'::text[] THEN 'MCP' END,
    CASE WHEN n.names && '{a2a}'::text[] THEN 'A2A' END,
    CASE WHEN n.names && '{oasf}'::text[] THEN 'OASF' END,
    CASE WHEN n.names && '{web,website,http,https}'::text[] THEN 'Web' END,
    CASE WHEN r.x402_supported OR n.names && '{x402}'::text[] THEN 'x402' END], NULL) AS spoken
  FROM "offchain"."directory" r, LATERAL (
    SELECT array(SELECT lower(e ->> 'name') FROM jsonb_array_elements(
      CASE jsonb_typeof(r.services) WHEN 'array' THEN r.services ELSE '[]' END) e) AS names) n
) s WHERE s.id = d.id AND s.spoken <> '{}';--> statement-breakpoint
ALTER TABLE "offchain"."directory" ENABLE TRIGGER USER;
