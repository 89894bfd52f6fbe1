CREATE TABLE `backup_keys` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`recipient` text NOT NULL,
	`identity` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `backup_requests` (
	`key_digest` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `backups` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text,
	`environment` text,
	`digest` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_by_run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by_run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `backups_id_unique` ON `backups` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `backups_created_by_run_id_unique` ON `backups` (`created_by_run_id`);--> statement-breakpoint
CREATE INDEX `backups_workspace` ON `backups` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE TABLE `restore_states` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`current_generation` integer NOT NULL,
	`current_resource_count` integer NOT NULL,
	`source_generation` integer,
	`source_state_version_id` text,
	`source_snapshot_id` text,
	`resource_count` integer NOT NULL,
	`partial` integer NOT NULL,
	`tool_name` text NOT NULL,
	`converted_from` text,
	`shown_outputs` text,
	`differences` text NOT NULL,
	`state_digest` text NOT NULL,
	`state` blob,
	`restored_state_version_id` text,
	FOREIGN KEY (`run_id`) REFERENCES `restores`(`run_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `restore_states_run` ON `restore_states` (`run_id`,`capsule_id`);--> statement-breakpoint
CREATE INDEX `restore_states_capsule` ON `restore_states` (`capsule_id`);--> statement-breakpoint
CREATE TABLE `restores` (
	`run_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`backup_id` text,
	`backup_created_at` integer,
	`left_out` text NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX `state_versions_run`;--> statement-breakpoint
CREATE UNIQUE INDEX `state_versions_run` ON `state_versions` (`created_by_run_id`,`capsule_id`);--> statement-breakpoint
CREATE INDEX `runs_restores` ON `runs` (`status`,`seq`) WHERE type = 'restore';