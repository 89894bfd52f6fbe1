CREATE TABLE `form_operations` (
	`workspace_id` text NOT NULL,
	`principal` text NOT NULL,
	`key` text NOT NULL,
	`identity` text NOT NULL,
	`operation` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`resource_id` text NOT NULL,
	`native_id` text NOT NULL,
	`form` text NOT NULL,
	`base` integer NOT NULL,
	`spec` text,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	PRIMARY KEY(`workspace_id`, `principal`, `key`)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `form_operations_started` ON `form_operations` (`workspace_id`,`kind`,`name`) WHERE completed_at IS NULL;--> statement-breakpoint
CREATE INDEX `form_operations_completed` ON `form_operations` (`completed_at`);--> statement-breakpoint
CREATE TABLE `form_resources` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`form` text NOT NULL,
	`generation` integer NOT NULL,
	`spec` text NOT NULL,
	`outputs` text,
	`native_id` text NOT NULL,
	`imported` integer NOT NULL,
	`ready` integer NOT NULL,
	`drifted_fields` text NOT NULL,
	`observed_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `form_resources_id_unique` ON `form_resources` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `form_resources_native_id_unique` ON `form_resources` (`native_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `form_resources_name` ON `form_resources` (`workspace_id`,`kind`,`name`);--> statement-breakpoint
CREATE INDEX `form_resources_workspace` ON `form_resources` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_resource` ON `audit_events` (`target_id`,`seq`) WHERE target_type = 'resource';