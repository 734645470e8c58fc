CREATE TABLE "offchain"."webhook" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"token_ids" bigint[],
	"addresses" text[],
	"owners" text[],
	"finality" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"from_position" bigint NOT NULL,
	"behind_at" bigint,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"paused_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."webhook_cursor" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"position" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."webhook_delivery" (
	"delivery_id" bigserial PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"event_id" text NOT NULL,
	"event_type" text NOT NULL,
	"position" bigint,
	"final" boolean NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"log" jsonb DEFAULT '[]' NOT NULL,
	"lease" text,
	"lease_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."webhook_secret" (
	"secret_id" text PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"request" text
);
--> statement-breakpoint
ALTER TABLE "offchain"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_webhook_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "offchain"."webhook"("webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_secret" ADD CONSTRAINT "webhook_secret_webhook_id_webhook_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "offchain"."webhook"("webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_owner" ON "offchain"."webhook" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "webhook_behind" ON "offchain"."webhook" USING btree ("webhook_id") WHERE behind_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_delivery_event" ON "offchain"."webhook_delivery" USING btree ("webhook_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "offchain"."webhook_delivery" USING btree ("webhook_id","due_at","delivery_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_log" ON "offchain"."webhook_delivery" USING btree ("webhook_id","delivery_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_dead" ON "offchain"."webhook_delivery" USING btree ("webhook_id","settled_at") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "webhook_delivery_created" ON "offchain"."webhook_delivery" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_secret_newest" ON "offchain"."webhook_secret" USING btree ("webhook_id") WHERE expires_at is null;--> statement-breakpoint
CREATE INDEX "webhook_secret_webhook" ON "offchain"."webhook_secret" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "webhook_secret_request" ON "offchain"."webhook_secret" USING btree ("request") WHERE request is not null;--> statement-breakpoint
CREATE INDEX "webhook_secret_expires" ON "offchain"."webhook_secret" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
INSERT INTO "offchain"."webhook_cursor" DEFAULT VALUES;
