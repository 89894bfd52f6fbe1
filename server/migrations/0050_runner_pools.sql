CREATE TABLE `runner_enrolments` (
	`id` text PRIMARY KEY NOT NULL,
	`pool_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`machine_id` text,
	`cancelled_at` integer,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`machine_id`) REFERENCES `runner_machines`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `runner_enrolments_token_hash_unique` ON `runner_enrolments` (`token_hash`);--> statement-breakpoint
CREATE INDEX `runner_enrolments_pool` ON `runner_enrolments` (`pool_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `runner_machines` (
	`id` text PRIMARY KEY NOT NULL,
	`pool_id` text NOT NULL,
	`state` text NOT NULL,
	`public_key` text NOT NULL,
	`seal_key` text NOT NULL,
	`facts` text NOT NULL,
	`enrolled_at` integer NOT NULL,
	`last_seen_at` integer,
	`revoked_at` integer,
	`revoked_by` text,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `runner_machines_public_key_unique` ON `runner_machines` (`public_key`);--> statement-breakpoint
CREATE INDEX `runner_machines_pool` ON `runner_machines` (`pool_id`,`enrolled_at`,`id`);--> statement-breakpoint
CREATE INDEX `runner_machines_enrolled` ON `runner_machines` (`enrolled_at`,`id`);--> statement-breakpoint
CREATE TABLE `runner_pools` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `runner_pools_name` ON `runner_pools` (`name`) WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX `runner_pools_created` ON `runner_pools` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `workspace_runner_pools` (
	`workspace_id` text NOT NULL,
	`pool_id` text NOT NULL,
	`allowed_at` integer NOT NULL,
	`withdrawn_at` integer,
	`is_default` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `pool_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `workspace_runner_pools_default` ON `workspace_runner_pools` (`workspace_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE INDEX `workspace_runner_pools_pool` ON `workspace_runner_pools` (`pool_id`);--> statement-breakpoint
ALTER TABLE `capsules` ADD `runner_pool_id` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `runner_pool` text DEFAULT 'local' NOT NULL;--> statement-breakpoint
CREATE INDEX `runs_queue` ON `runs` (`runner_pool`,`seq`) WHERE status = 'queued';