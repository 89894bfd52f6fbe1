import { z } from 'zod';
import { CapsuleHold } from '../capsules/contract.ts';
import { id } from '../kernel/id.ts';
import { Count } from '../kernel/scalars.ts';
import { waitingLimits } from '../limits.ts';
import { RunRow } from '../runs/contract.ts';
import type { NotificationEvent } from './events.ts';

/**
 * Events that a person is notified of: those of the Runs that the person created, requests for an approval, and late
 * states that the person may decide about or whose applies the person ended.
 */
export const personalEvents = [
  'approval.requested',
  'late_state.arrived',
  'run.waiting',
  'run.failed',
  'run.succeeded',
] as const satisfies readonly NotificationEvent[];
export type PersonalEvent = (typeof personalEvents)[number];
export const isPersonalEvent = (event: NotificationEvent | undefined): event is PersonalEvent =>
  personalEvents.some((one) => one === event);

/** Events that owners and admins of a Workspace get mail of. A person chooses all of them by the first one. */
export const backupEvents = [
  'backup_schedule.failed',
  'backup_schedule.overdue',
  'backup_schedule.recovered',
] as const satisfies readonly NotificationEvent[];
export type BackupEvent = (typeof backupEvents)[number];
export const isBackupEvent = (event: string | undefined): event is BackupEvent =>
  backupEvents.some((one) => one === event);

/** Events that a person chooses mail of. */
export const mailEvents = [...personalEvents, 'backup_schedule.failed'] as const;
export type MailEvent = (typeof mailEvents)[number];

const chosenOf = <T extends readonly [string, ...string[]]>(events: T) =>
  z.array(z.enum(events)).refine((chosen) => new Set(chosen).size === chosen.length, 'Name each event once.');

/** Languages of mail. */
export const mailLanguages = ['en', 'ja'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

export const NotificationPreferences = z.strictObject({
  /** Events that the browser or the desktop shows. */
  browser: chosenOf(personalEvents),
  mail: chosenOf(mailEvents),
  /** Workspaces that nothing is reported of. */
  mutedWorkspaceIds: z
    .array(id('workspace'))
    .max(1_000)
    .refine((ids) => new Set(ids).size === ids.length, 'Name each Workspace once.'),
  /** Language of mail. */
  language: z.enum(mailLanguages),
});
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

/** Preferences of a person who has not stored any. */
export const defaultPreferences: NotificationPreferences = {
  browser: [...personalEvents],
  mail: ['approval.requested', 'late_state.arrived', 'backup_schedule.failed'],
  mutedWorkspaceIds: [],
  language: 'en',
};

/** A plan for which an approval was requested. A plan of a held Capsule is approved and applied after the hold. */
const RequestedPlan = RunRow.extend({ hold: CapsuleHold.optional() });
export type RequestedPlan = z.infer<typeof RequestedPlan>;

/** Plans of a Workspace that wait for the caller. */
export const Waiting = z.strictObject({
  /** Plans that the caller may approve or apply; counted up to 100. */
  count: Count.max(waitingLimits.counted),
  /** Those of them for which an approval was requested, newest first, at most 50. */
  requests: z.array(RequestedPlan),
});
export type Waiting = z.infer<typeof Waiting>;
