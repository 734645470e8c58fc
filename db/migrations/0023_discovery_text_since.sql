DROP INDEX "offchain"."discovery_document_text";--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "text_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "discovery_document_text" ON "offchain"."discovery_document" USING btree ("text_key",coalesce(text_since, registered_at),"registered_at","directory_id") WHERE text_key is not null;