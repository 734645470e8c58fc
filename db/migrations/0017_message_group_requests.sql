ALTER TABLE "offchain"."message_group" ADD COLUMN "request" text;--> statement-breakpoint
CREATE INDEX "message_group_creator" ON "offchain"."message_group" USING btree ("created_by") WHERE created_by is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "message_group_request" ON "offchain"."message_group" USING btree ("created_by","request") WHERE request is not null;