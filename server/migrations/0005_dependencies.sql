CREATE TABLE `dependencies` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`producer_capsule_id` text NOT NULL,
	`consumer_capsule_id` text NOT NULL,
	`mode` text NOT NULL,
	`outputs` text NOT NULL,
	`visibility` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`producer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`consumer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `dependencies_consumer` ON `dependencies` (`consumer_capsule_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `dependencies_producer` ON `dependencies` (`producer_capsule_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `dependencies_workspace` ON `dependencies` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `dependency_snapshots` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`run_id` text NOT NULL,
	`used` text NOT NULL,
	`digest` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `dependency_snapshots_run_id_unique` ON `dependency_snapshots` (`run_id`);--> statement-breakpoint
CREATE TABLE `output_shares` (
	`id` text PRIMARY KEY NOT NULL,
	`from_workspace_id` text NOT NULL,
	`to_workspace_id` text NOT NULL,
	`producer_capsule_id` text NOT NULL,
	`outputs` text NOT NULL,
	`sensitive_reason` text,
	`status` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`from_workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`producer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `output_shares_from` ON `output_shares` (`from_workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `output_shares_to` ON `output_shares` (`to_workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `output_shares_of` ON `output_shares` (`producer_capsule_id`,`to_workspace_id`,`status`);