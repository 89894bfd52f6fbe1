CREATE TABLE `workspace_deletions` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`display_name` text NOT NULL,
	`deleted_by` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`left_capsules` text NOT NULL,
	`completed_at` integer
) STRICT;
--> statement-breakpoint
ALTER TABLE `workspaces` ADD `deleted_at` integer;