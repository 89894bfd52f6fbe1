import { z } from 'zod';
import { runErrorCodes } from '../errors.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { PlanAction, PlanSummary } from '../plans/summary.ts';
import { runStatuses, runTypes } from '../runs/contract.ts';
import { type NotificationEvent, notificationEventNames } from './events.ts';

/** Resources that a message names; it counts all of them. */
export const messageResources = 50;

const Named = z.strictObject({ id: z.string(), name: z.string() });

/** Event of a test that a person sends to a webhook. */
export const testEvent = 'webhook.test';

/**
 * Content of every channel about an event: names, addresses of resources, counts, statuses and a link. It never contains
 * a value, the text of a diagnostic or a reason that a person entered.
 */
export const EventMessage = z.strictObject({
  event: z.enum([...notificationEventNames, testEvent]),
  occurredAt: Timestamp,
  workspace: Named,
  capsule: Named.optional(),
  run: z
    .strictObject({
      id: z.string(),
      type: z.enum(runTypes),
      status: z.enum(runStatuses),
      errorCode: z.enum(runErrorCodes).optional(),
    })
    .optional(),
  /** Totals of the plan that the Run computed or applies. */
  counts: PlanSummary.optional(),
  /** Number of resources that differ from what was applied. */
  driftCount: Count.optional(),
  resources: z
    .strictObject({
      total: Count,
      items: z.array(z.strictObject({ address: z.string(), actions: z.array(PlanAction) })).max(messageResources),
    })
    .optional(),
  webhook: Named.optional(),
  /** Page of the dashboard; absent while the operator has not set the public address of the server. */
  link: z.string().optional(),
});
export type EventMessage = z.infer<typeof EventMessage>;

const statements: Record<NotificationEvent | typeof testEvent, string> = {
  'run.waiting': 'A plan waits for a person',
  'run.succeeded': 'A Run succeeded',
  'run.failed': 'A Run failed',
  'run.cancelled': 'A Run was cancelled',
  'run.expired': 'A plan expired',
  'approval.requested': 'An approval is requested',
  'late_state.arrived': 'A state arrived after its apply was ended',
  'capsule.update_available': 'An update is available',
  'capsule.auto_update_failed': 'An automatic update failed',
  'capsule.drift_detected': 'Drift was detected',
  'capsule.held': 'A Capsule is held',
  'capsule.hold_released': 'The hold of a Capsule was released',
  'webhook.disabled': 'A webhook was disabled after repeated failures',
  'backup_schedule.failed': 'A scheduled backup failed',
  'backup_schedule.overdue': 'Scheduled backups are overdue',
  'backup_schedule.recovered': 'Scheduled backups work again',
  'webhook.test': 'This is a test of the webhook',
};

/** Returns what happened as one English line, without names. */
export const statementOf = ({ event }: Pick<EventMessage, 'event'>): string => statements[event];

/** Returns the facts of a message as pairs of a label and plain text, in display order. */
export function factsOf(message: EventMessage): [label: string, text: string][] {
  const { workspace, capsule, run, counts, driftCount, resources, webhook } = message;
  return [
    ['Workspace', workspace.name],
    ...(capsule ? [['Capsule', capsule.name] as [string, string]] : []),
    ...(webhook ? [['Webhook', webhook.name] as [string, string]] : []),
    ...(run ? [['Run', [run.type, run.status, run.errorCode].filter(Boolean).join(', ')] as [string, string]] : []),
    ...(counts
      ? [['Plan', `${counts.add} to add, ${counts.change} to change, ${counts.destroy} to destroy`] as [string, string]]
      : []),
    ...(driftCount === undefined ? [] : [['Drift', `${driftCount} resources`] as [string, string]]),
    ...(resources && resources.total > 0 ? [['Resources', resourceText(resources)] as [string, string]] : []),
  ];
}

/** Resources that a line of text names. */
const namedInText = 5;

function resourceText({ total, items }: NonNullable<EventMessage['resources']>): string {
  const named = items.slice(0, namedInText).map(({ address }) => address);
  const rest = total - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}
