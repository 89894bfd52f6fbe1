CREATE TABLE `capsule_favorites` (
	`account_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `capsule_id`),
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `capsule_favorites_workspace` ON `capsule_favorites` (`account_id`,`workspace_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `capsules` ADD `labels` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `group_seq` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `plan_seq` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `change_seq` integer GENERATED ALWAYS AS (coalesce(plan_seq, seq)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `runs` ADD `row_seq` integer GENERATED ALWAYS AS (coalesce(group_seq, plan_seq, seq)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `runs` ADD `cause` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `applied` text;--> statement-breakpoint
CREATE INDEX `runs_changes` ON `runs` (`workspace_id`,`row_seq`,`status`,`type`,`cause`,`created_by`,`capsule_name`,`capsule_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_capsule_changes` ON `runs` (`capsule_id`,`change_seq`);--> statement-breakpoint
ALTER TABLE `state_projections` ADD `failed_checks` integer;--> statement-breakpoint
UPDATE `runs` SET `plan_seq` = (SELECT `seq` FROM `runs` AS `plan` WHERE `plan`.`id` = `runs`.`plan_run_id`) WHERE `plan_run_id` IS NOT NULL;--> statement-breakpoint
UPDATE `runs` SET `group_seq` = (SELECT min(`seq`) FROM `runs` AS `first` WHERE `first`.`run_group_id` = `runs`.`run_group_id`) WHERE `run_group_id` IS NOT NULL;--> statement-breakpoint
UPDATE `runs` SET `cause` = CASE
  WHEN `facts` ->> '$.trigger' IS NOT NULL THEN `facts` ->> '$.trigger'
  WHEN `created_by` = 'operator' THEN 'operator'
  WHEN `created_by` = 'system' AND `type` = 'drift_check' THEN 'schedule'
  WHEN `created_by` = 'system' THEN 'auto_update'
  ELSE 'person'
END;