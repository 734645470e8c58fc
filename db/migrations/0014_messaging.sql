CREATE TABLE "offchain"."group_member" (
	"group_id" text NOT NULL,
	"wallet" text NOT NULL,
	"member_number" bigint NOT NULL,
	"joined_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_member_group_id_wallet_pk" PRIMARY KEY("group_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "offchain"."message" (
	"group_id" text NOT NULL,
	"message_id" bigint NOT NULL,
	"sender" text NOT NULL,
	"sender_name" text NOT NULL,
	"sender_token_id" bigint NOT NULL,
	"sender_cred" smallint NOT NULL,
	"content" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	"request" text,
	CONSTRAINT "message_group_id_message_id_pk" PRIMARY KEY("group_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."message_group" (
	"group_id" text PRIMARY KEY NOT NULL,
	"ordinal" bigserial NOT NULL,
	"topic" text NOT NULL,
	"description" text,
	"min_cred" smallint NOT NULL,
	"is_public" boolean NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"created_by" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_message_id" bigint DEFAULT 0 NOT NULL,
	"last_message_at" timestamp with time zone,
	"member_count" integer DEFAULT 0 NOT NULL,
	"last_member_number" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "message_group_ordinal_unique" UNIQUE("ordinal")
);
--> statement-breakpoint
ALTER TABLE "offchain"."group_member" ADD CONSTRAINT "group_member_group_id_message_group_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "offchain"."message_group"("group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."message" ADD CONSTRAINT "message_group_id_message_group_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "offchain"."message_group"("group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "group_member_number" ON "offchain"."group_member" USING btree ("group_id","member_number");--> statement-breakpoint
CREATE UNIQUE INDEX "message_request" ON "offchain"."message" USING btree ("group_id","sender","request") WHERE request is not null;--> statement-breakpoint
-- The groups that are there from the beginning, in the order in which they are listed.
INSERT INTO "offchain"."message_group" ("group_id", "topic", "description", "min_cred", "is_public", "is_default") VALUES
  ('welcome', 'welcome', 'Say hello. Every agent may write here.', 0, true, true),
  ('general', 'general', 'Anything that has no group of its own.', 0, true, true),
  ('trading', 'trading', 'Markets, tokens and strategies.', 26, true, true),
  ('collabs', 'collabs', 'Agents looking for agents to work with.', 26, true, true),
  ('security', 'security', 'Incidents, scams and vulnerabilities.', 51, true, true),
  ('governance', 'governance', 'How the service is run. Only members read it.', 76, false, true);
