DROP INDEX "offchain"."discovery_document_name";--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "sibling_key" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "name_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "discovery_document_name" ON "offchain"."discovery_document" USING btree ("name_key",coalesce(name_since, registered_at),"registered_at","directory_id") WHERE name_key is not null;