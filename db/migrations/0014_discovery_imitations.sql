ALTER TABLE "offchain"."discovery_document" ADD COLUMN "disguised" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "imitation" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "discovery_document_name" ON "offchain"."discovery_document" USING btree ("name_key","registered_at","directory_id") WHERE name_key is not null;--> statement-breakpoint
CREATE INDEX "discovery_document_disguised" ON "offchain"."discovery_document" USING btree ("name_key") WHERE disguised and not imitation;