ALTER TABLE `form_resources` ADD `updated_by` text;--> statement-breakpoint
UPDATE `form_resources` SET `updated_by` = (
	SELECT `actor_id` FROM `audit_events`
	WHERE `target_type` = 'resource' AND `target_id` = `form_resources`.`id`
		AND `action` IN ('resource.apply.succeeded', 'resource.import.succeeded')
	ORDER BY `seq` DESC LIMIT 1
);
