CREATE TABLE `notification_preferences` (
	`account_id` text PRIMARY KEY NOT NULL,
	`browser` text NOT NULL,
	`mail` text NOT NULL,
	`muted_workspace_ids` text NOT NULL,
	`language` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `waiting_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`account_id` text,
	`email` text,
	`run_id` text,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `waiting_mails_due` ON `waiting_mails` (`due_at`);--> statement-breakpoint
CREATE INDEX `waiting_mails_account` ON `waiting_mails` (`account_id`);--> statement-breakpoint
CREATE INDEX `waiting_mails_email` ON `waiting_mails` (`email`);