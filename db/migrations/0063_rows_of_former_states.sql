ALTER TABLE "offchain"."api_key" ALTER COLUMN "scope" SET DEFAULT 'sessions:write';--> statement-breakpoint
UPDATE "offchain"."api_key" SET "scope" = regexp_replace(replace(replace("scope", 'queues-read', 'queues:read'), 'queues-write', 'queues:write'), '\msessions(?![:\w])', 'sessions:write', 'g') WHERE "scope" ~ '\m(sessions(?![:\w])|queues-)';--> statement-breakpoint
-- Computed before their inputs were kept: computed again.
UPDATE "offchain"."cred" SET "seen_block" = -1 WHERE "age_input" IS NULL OR "coinbase_input" IS NULL;
