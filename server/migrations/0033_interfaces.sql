CREATE TABLE `hostname_proofs` (
	`workspace_id` text NOT NULL,
	`hostname` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `hostname`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `hostname_proofs_hostname` ON `hostname_proofs` (`hostname`);--> statement-breakpoint
CREATE TABLE `interface_bindings` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`interface_id` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`permissions` text NOT NULL,
	`delivery` text NOT NULL,
	`spec_digest` text NOT NULL,
	`generation` integer NOT NULL,
	`phase` text NOT NULL,
	`reason` text,
	`phase_at` integer NOT NULL,
	`observed_interface_revision` integer NOT NULL,
	`origin` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `interface_bindings_spec` ON `interface_bindings` (`interface_id`,`spec_digest`) WHERE phase <> 'Revoked';--> statement-breakpoint
CREATE INDEX `interface_bindings_interface` ON `interface_bindings` (`interface_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `interface_bindings_subject` ON `interface_bindings` (`subject_kind`,`subject_id`,`workspace_id`) WHERE phase <> 'Revoked';--> statement-breakpoint
CREATE TABLE `interface_sources` (
	`interface_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	PRIMARY KEY(`interface_id`, `capsule_id`),
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `interface_sources_capsule` ON `interface_sources` (`capsule_id`);--> statement-breakpoint
CREATE TABLE `interfaces` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`labels` text,
	`type` text NOT NULL,
	`version` text NOT NULL,
	`spec` text NOT NULL,
	`generation` integer NOT NULL,
	`phase` text NOT NULL,
	`reason` text,
	`message` text,
	`phase_at` integer NOT NULL,
	`observed_generation` integer NOT NULL,
	`resolved_revision` integer NOT NULL,
	`resolved_inputs` text,
	`provenance` text,
	`resource_uri` text,
	`claim_uri` text,
	`conditions` text NOT NULL,
	`blueprint_key` text,
	`blueprint_digest` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `interfaces_name` ON `interfaces` (`workspace_id`,`name`) WHERE phase <> 'Retired';--> statement-breakpoint
CREATE INDEX `interfaces_workspace` ON `interfaces` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `interfaces_owner` ON `interfaces` (`owner_kind`,`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `interfaces_type` ON `interfaces` (`workspace_id`,`type`,`version`,`phase`);--> statement-breakpoint
CREATE INDEX `interfaces_claim` ON `interfaces` (`claim_uri`) WHERE claim_uri IS NOT NULL;--> statement-breakpoint
CREATE TABLE `materialization_intents` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`run_id` text NOT NULL,
	`state_version_id` text NOT NULL,
	`output_id` text NOT NULL,
	`state_generation` integer NOT NULL,
	`principal_id` text NOT NULL,
	`blueprints` text NOT NULL,
	`blueprints_digest` text NOT NULL,
	`items` text NOT NULL,
	`next_item_index` integer NOT NULL,
	`attempts` integer NOT NULL,
	`status` text NOT NULL,
	`due_at` integer,
	`error_code` text,
	`error_digest` text,
	`error_at` integer,
	`failed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `materialization_intents_id_unique` ON `materialization_intents` (`id`);--> statement-breakpoint
CREATE INDEX `materialization_intents_due` ON `materialization_intents` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `materialization_intents_capsule` ON `materialization_intents` (`capsule_id`,`status`);--> statement-breakpoint
CREATE INDEX `materialization_intents_failed` ON `materialization_intents` (`workspace_id`,`seq`) WHERE status = 'failed';--> statement-breakpoint
CREATE TABLE `resource_claims` (
	`uri` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
