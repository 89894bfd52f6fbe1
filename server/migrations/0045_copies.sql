CREATE TABLE `copies` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`upstream_url` text NOT NULL,
	`upstream_ref` text NOT NULL,
	`upstream_path` text NOT NULL,
	`auth_connection_id` text,
	`module_path` text,
	`source_id` text,
	`current_revision_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `copies_id_unique` ON `copies` (`id`);--> statement-breakpoint
CREATE INDEX `copies_workspace` ON `copies` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `copies_upstream` ON `copies` (`workspace_id`,`upstream_url`);--> statement-breakpoint
CREATE UNIQUE INDEX `copies_source` ON `copies` (`source_id`);--> statement-breakpoint
CREATE TABLE `copy_revisions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`copy_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`upstream_commit` text,
	`commit` text,
	`review` text,
	`error` text,
	`approved_by` text,
	`approved_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`copy_id`) REFERENCES `copies`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `copy_revisions_id_unique` ON `copy_revisions` (`id`);--> statement-breakpoint
CREATE INDEX `copy_revisions_copy` ON `copy_revisions` (`copy_id`,`seq`);--> statement-breakpoint
CREATE INDEX `copy_revisions_work` ON `copy_revisions` (`seq`) WHERE status IN ('preparing', 'making');--> statement-breakpoint
CREATE UNIQUE INDEX `copy_revisions_open` ON `copy_revisions` (`copy_id`) WHERE status IN ('preparing', 'waiting_approval', 'making');