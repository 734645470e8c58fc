ALTER TABLE "offchain"."offer_source" ADD COLUMN "asked_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "offer_source_asked" ON "offchain"."offer_source" USING btree ("trust") WHERE asked_at is not null;--> statement-breakpoint
CREATE INDEX "offer_source_trusted" ON "offchain"."offer_source" USING btree ((confirmed_by is not null),"trust","directory_id" DESC NULLS FIRST);