CREATE TABLE `connection_materials` (
	`id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`workspace_id` text,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `connection_materials_of` ON `connection_materials` (`connection_id`);--> statement-breakpoint
CREATE TABLE `connection_uses` (
	`connection_id` text NOT NULL,
	`run_id` text NOT NULL,
	`capsule_id` text,
	`names` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `run_id`),
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `connection_uses_newest` ON `connection_uses` (`connection_id`,`used_at`,`run_id`);--> statement-breakpoint
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text,
	`provider` text NOT NULL,
	`provider_source` text NOT NULL,
	`kind` text,
	`status` text NOT NULL,
	`display_name` text,
	`secret_partition` text,
	`recipe` text,
	`env_names` text NOT NULL,
	`files` text NOT NULL,
	`scope_hints` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`verified_at` integer,
	`expires_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `connections_workspace` ON `connections` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `sources` ADD `auth_connection_id` text;