ALTER TABLE `sources` ADD `polled_at` integer;--> statement-breakpoint
CREATE INDEX `sources_polled` ON `sources` (`polled_at`) WHERE auto_sync = 1 AND status <> 'disabled';