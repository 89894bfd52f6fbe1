ALTER TABLE `capsules` ADD `hold_reason` text;--> statement-breakpoint
ALTER TABLE `capsules` ADD `hold_until` integer;--> statement-breakpoint
ALTER TABLE `capsules` ADD `held_by` text;--> statement-breakpoint
ALTER TABLE `capsules` ADD `held_at` integer;--> statement-breakpoint
CREATE INDEX `capsules_hold_until` ON `capsules` (`hold_until`) WHERE hold_until IS NOT NULL;