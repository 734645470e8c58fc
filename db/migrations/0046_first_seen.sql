CREATE TABLE "offchain"."discovery_first_seen" (
	"directory_id" bigint NOT NULL,
	"key" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"registered_at" timestamp with time zone,
	"backed" boolean NOT NULL,
	"left_at" timestamp with time zone,
	CONSTRAINT "discovery_first_seen_directory_id_key_pk" PRIMARY KEY("directory_id","key")
);
--> statement-breakpoint
INSERT INTO "offchain"."discovery_first_seen" ("directory_id", "key", "since", "registered_at", "backed")
SELECT d.directory_id, k.key, coalesce(k.since, d.registered_at, d.written_at), d.registered_at, d.verified
FROM "offchain"."discovery_document" d, LATERAL (VALUES (d.name_key, d.name_since), (d.text_key, d.text_since)) k (key, since)
WHERE k.key IS NOT NULL ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO "offchain"."discovery_first_seen" ("directory_id", "key", "since", "registered_at", "backed", "left_at")
SELECT r.directory_id, k.key, coalesce(k.since, d.created_at, now()), d.created_at, false, now()
FROM "offchain"."discovery_removed" r LEFT JOIN "offchain"."directory" d ON d.id = r.directory_id,
  LATERAL (VALUES (r.name_key, r.name_since), (r.text_key, r.text_since)) k (key, since)
WHERE k.key IS NOT NULL ON CONFLICT DO NOTHING;
--> statement-breakpoint
UPDATE "offchain"."discovery_progress" SET "filled_to" = 0;
--> statement-breakpoint
ALTER TABLE "offchain"."discovery_removed" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "offchain"."discovery_removed" CASCADE;--> statement-breakpoint
DROP INDEX "offchain"."discovery_document_name";--> statement-breakpoint
DROP INDEX "offchain"."discovery_document_text";--> statement-breakpoint
DROP INDEX "offchain"."discovery_document_disguised";--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "text_keys" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "discovery_first_seen_key" ON "offchain"."discovery_first_seen" USING btree ("key",backed desc,"since","registered_at","directory_id") WHERE left_at is null;--> statement-breakpoint
CREATE INDEX "discovery_document_disguised" ON "offchain"."discovery_document" USING btree ("name_key") WHERE disguised;--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" DROP COLUMN "text_key";--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" DROP COLUMN "text_since";