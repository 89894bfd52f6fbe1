-- Where a Capsule has several running Runs, an apply or else the oldest stays; the others fail and say why. -1 marks them.
UPDATE `runs` SET `status` = 'failed', `error_code` = 'run_execution_lease_lost', `finished_at` = -1 WHERE `id` IN (
	SELECT `id` FROM (
		SELECT `id`, row_number() OVER (
			PARTITION BY `capsule_id` ORDER BY `type` IN ('apply', 'destroy_apply', 'restore') DESC, `seq`
		) AS `position`
		FROM `runs`
		WHERE `status` = 'running' AND `capsule_id` IS NOT NULL
			AND `type` IN ('plan', 'destroy_plan', 'drift_check', 'apply', 'destroy_apply', 'restore')
	) WHERE `position` > 1
);--> statement-breakpoint
INSERT INTO `run_feed` (`run_id`, `seq`, `kind`, `at`, `payload`)
SELECT `id`, (SELECT ifnull(max(`seq`), 0) + 1 FROM `run_feed` WHERE `run_id` = `runs`.`id`), 'diagnostic', CAST(unixepoch('subsec') * 1000 AS INTEGER),
	json_object('severity', 'error', 'code', `error_code`, 'message', 'Another Run of this Capsule was running at the same time. Make a new plan and compare it with what exists.')
FROM `runs` WHERE `finished_at` = -1;--> statement-breakpoint
INSERT INTO `run_feed` (`run_id`, `seq`, `kind`, `at`, `payload`)
SELECT `id`, (SELECT max(`seq`) + 1 FROM `run_feed` WHERE `run_id` = `runs`.`id`), 'status', CAST(unixepoch('subsec') * 1000 AS INTEGER),
	json_object('runId', `id`, 'status', `status`, 'errorCode', `error_code`)
FROM `runs` WHERE `finished_at` = -1;--> statement-breakpoint
UPDATE `runs` SET `finished_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE `finished_at` = -1;--> statement-breakpoint
CREATE UNIQUE INDEX `runs_running_capsule` ON `runs` (`capsule_id`) WHERE status = 'running' AND type IN ('plan', 'destroy_plan', 'drift_check', 'apply', 'destroy_apply', 'restore');