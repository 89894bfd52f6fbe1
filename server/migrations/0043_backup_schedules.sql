CREATE TABLE `backup_copies` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`target` text NOT NULL,
	`status` text NOT NULL,
	`backup_id` text,
	`digest` text,
	`size_bytes` integer,
	`upload_id` text,
	`location` text,
	`attempts` integer NOT NULL,
	`started_at` integer NOT NULL,
	`retry_at` integer NOT NULL,
	`stored_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `backup_copies_workspace` ON `backup_copies` (`workspace_id`,`status`);--> statement-breakpoint
CREATE TABLE `backup_schedules` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`keep` integer NOT NULL,
	`target` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`failed_at` integer,
	`failure` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
