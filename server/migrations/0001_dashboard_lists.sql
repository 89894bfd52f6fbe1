DROP INDEX `outbox_workspace`;--> statement-breakpoint
DROP INDEX `runs_workspace`;--> statement-breakpoint
ALTER TABLE `runs` ADD `capsule_name` text;--> statement-breakpoint
UPDATE `runs` SET `capsule_name` = `facts` ->> '$.capsuleName';--> statement-breakpoint
CREATE INDEX `runs_workspace` ON `runs` (`workspace_id`,`seq`,`capsule_name`,`capsule_id`,`id`);--> statement-breakpoint
CREATE INDEX `capsules_updated` ON `capsules` (`workspace_id`,`updated_at`,`id`,`name`);--> statement-breakpoint
CREATE INDEX `sources_updated` ON `sources` (`workspace_id`,`updated_at`,`id`,`name`,`url`);
