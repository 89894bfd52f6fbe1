import type { CapsuleStatus } from '#shared/capsules/contract';
import type { ConnectionStatus } from '#shared/connections/machine';
import type { DriftStatus } from '#shared/drift/mark';
import { type RunErrorCode, runErrorCodes } from '#shared/errors';
import type { ShareStatus } from '#shared/output-shares/machine';
import type { Run, RunStatus, RunType } from '#shared/runs/contract';
import type { SourceStatus } from '#shared/sources/contract';
import type { CompatibilityLevel } from '#shared/sources/report';
import type { TextId } from '../i18n/text.ts';
import type { Tone } from '../ui/pill.tsx';

/** Text and tone of a status. */
export type StatusText = { text: TextId; tone: Tone };

/** Texts of all statuses, shared by pages, lists and tab titles. */
export const runStatusTexts: Readonly<Record<RunStatus, StatusText>> = {
  queued: { text: 'run.status.queued', tone: 'neutral' },
  running: { text: 'run.status.running', tone: 'accent' },
  waiting_approval: { text: 'run.status.waiting_approval', tone: 'warn' },
  succeeded: { text: 'run.status.succeeded', tone: 'good' },
  failed: { text: 'run.status.failed', tone: 'bad' },
  cancelled: { text: 'run.status.cancelled', tone: 'neutral' },
  expired: { text: 'run.status.expired', tone: 'neutral' },
};

export const runTypeTexts: Readonly<Record<RunType, TextId>> = {
  source_sync: 'run.type.source_sync',
  compatibility_check: 'run.type.compatibility_check',
  plan: 'run.type.plan',
  apply: 'run.type.apply',
  destroy_plan: 'run.type.destroy_plan',
  destroy_apply: 'run.type.destroy_apply',
  drift_check: 'run.type.drift_check',
  backup: 'run.type.backup',
  restore: 'run.type.restore',
};

export const awaitsTexts: Readonly<Record<NonNullable<Run['awaits']>, StatusText>> = {
  approve: { text: 'run.awaits.approve', tone: 'warn' },
  apply: { text: 'run.awaits.apply', tone: 'accent' },
};

export const capsuleStatusTexts: Readonly<Record<CapsuleStatus, StatusText>> = {
  pending: { text: 'capsule.status.pending', tone: 'neutral' },
  active: { text: 'capsule.status.active', tone: 'good' },
  stale: { text: 'capsule.status.stale', tone: 'warn' },
  error: { text: 'capsule.status.error', tone: 'bad' },
  disabled: { text: 'capsule.status.disabled', tone: 'neutral' },
  destroyed: { text: 'capsule.status.destroyed', tone: 'neutral' },
};

export const driftTexts: Readonly<Record<DriftStatus, StatusText>> = {
  none: { text: 'drift.status.none', tone: 'good' },
  drifted: { text: 'drift.status.drifted', tone: 'warn' },
  acknowledged: { text: 'drift.status.acknowledged', tone: 'neutral' },
  failed: { text: 'drift.status.failed', tone: 'bad' },
};

/** A Capsule that never created anything was discarded, not destroyed. */
export const capsuleStatusText = (capsule: { status: CapsuleStatus; currentStateGeneration: number }): StatusText =>
  capsule.status === 'destroyed' && capsule.currentStateGeneration === 0
    ? { text: 'capsule.status.discarded', tone: 'neutral' }
    : capsuleStatusTexts[capsule.status];

export const shareStatusTexts: Readonly<Record<ShareStatus, StatusText>> = {
  pending: { text: 'share.status.pending', tone: 'warn' },
  active: { text: 'share.status.active', tone: 'good' },
  revoked: { text: 'share.status.revoked', tone: 'neutral' },
};

export const sourceStatusTexts: Readonly<Record<SourceStatus, StatusText>> = {
  active: { text: 'source.status.active', tone: 'good' },
  disabled: { text: 'source.status.disabled', tone: 'neutral' },
  error: { text: 'source.status.error', tone: 'bad' },
};

export const connectionStatusTexts: Readonly<Record<ConnectionStatus, StatusText>> = {
  pending: { text: 'connection.status.pending', tone: 'neutral' },
  verified: { text: 'connection.status.verified', tone: 'good' },
  revoked: { text: 'connection.status.revoked', tone: 'neutral' },
  expired: { text: 'connection.status.expired', tone: 'warn' },
  error: { text: 'connection.status.error', tone: 'bad' },
};

export const compatibilityTexts: Readonly<Record<CompatibilityLevel, StatusText>> = {
  ready: { text: 'compatibility.ready', tone: 'good' },
  needs_patch: { text: 'compatibility.needs_patch', tone: 'warn' },
  unsupported: { text: 'compatibility.unsupported', tone: 'bad' },
};

/** Returns the text for the error code of a failed Run: its meaning and the remedy. */
export const runErrorText = (code: RunErrorCode): TextId => `run.error.${code}`;

/** Returns the error code of a failed Run from a plain text; undefined for an unknown code. */
export const readRunErrorCode = (code: string | undefined): RunErrorCode | undefined =>
  runErrorCodes.find((one) => one === code);

/** Display names of the tools. */
export const toolNames = { tofu: 'OpenTofu', terraform: 'Terraform' } as const;
