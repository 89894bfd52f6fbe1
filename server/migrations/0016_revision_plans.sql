CREATE TABLE `revision_plans` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`created_by` text NOT NULL,
	`key_digest` text NOT NULL,
	`request_digest` text NOT NULL,
	`request` text NOT NULL,
	`phase` text NOT NULL,
	`generation` integer NOT NULL,
	`facts` text NOT NULL,
	`diagnostic` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `revision_plans_id_unique` ON `revision_plans` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `revision_plans_key` ON `revision_plans` (`workspace_id`,`created_by`,`key_digest`);--> statement-breakpoint
CREATE INDEX `revision_plans_open` ON `revision_plans` (`capsule_id`) WHERE completed_at IS NULL;