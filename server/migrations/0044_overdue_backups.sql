ALTER TABLE `backup_schedules` ADD `overdue_at` integer;--> statement-breakpoint
ALTER TABLE `waiting_mails` ADD `workspace_id` text;