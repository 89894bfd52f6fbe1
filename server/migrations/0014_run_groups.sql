CREATE TABLE `run_groups` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`created_by` text NOT NULL,
	`layers` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `run_groups_id_unique` ON `run_groups` (`id`);--> statement-breakpoint
CREATE INDEX `run_groups_workspace` ON `run_groups` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE TABLE `usage_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text,
	`run_id` text,
	`kind` text NOT NULL,
	`quantity` real NOT NULL,
	`usd_micros` integer NOT NULL,
	`rating_status` text NOT NULL,
	`source` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `usage_events_id_unique` ON `usage_events` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `usage_events_idempotency_key_unique` ON `usage_events` (`idempotency_key`);--> statement-breakpoint
CREATE INDEX `usage_events_workspace` ON `usage_events` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `usage_events_capsule` ON `usage_events` (`capsule_id`,`rating_status`,`usd_micros`) WHERE capsule_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` ADD `run_group_id` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `group_layer` integer;--> statement-breakpoint
CREATE INDEX `runs_group` ON `runs` (`run_group_id`,`group_layer`) WHERE run_group_id IS NOT NULL;