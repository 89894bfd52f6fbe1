import { z } from 'zod';
import { Count, Millis } from '../kernel/scalars.ts';

export const phases = [
  'source',
  'build',
  'init',
  'validate',
  'plan',
  'policy',
  'apply',
  'commit',
  'lifecycle',
  'backup',
  'restore',
  'system',
] as const;
export type Phase = (typeof phases)[number];

const position = z.strictObject({ line: z.int(), column: z.int() });

export const AuditEvent = z.strictObject({
  id: z.string(),
  seq: Count,
  type: z.string(),
  at: Millis,
  actor: z.string().optional(),
  message: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

export const LogEntry = z.strictObject({
  seq: Count,
  at: Millis,
  phase: z.enum(phases),
  stream: z.enum(['stdout', 'stderr', 'system']),
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']),
  text: z.string(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const Diagnostic = z.strictObject({
  severity: z.enum(['info', 'warning', 'error']),
  code: z.string().optional(),
  message: z.string(),
  detail: z.string().optional(),
  address: z.string().optional(),
  range: z.strictObject({ filename: z.string(), start: position, end: position }).optional(),
  variable: z.string().optional(),
});
export type Diagnostic = z.infer<typeof Diagnostic>;
export const FeedDiagnostic = z.strictObject({ seq: Count, at: Millis, ...Diagnostic.shape });
export type FeedDiagnostic = z.infer<typeof FeedDiagnostic>;

/** Names of the events of a Run's stream, besides `hb` and `end`. Each is one kind of item of the feed. */
export const feedKinds = ['audit', 'status', 'resource', 'log', 'phase', 'diagnostic'] as const;
export type FeedKind = (typeof feedKinds)[number];

/** One item before it has a position: `payload` is what the stream sends, without `seq` and `at`. */
export type FeedItem = { kind: FeedKind; at: number; payload: Record<string, unknown> };
export type StoredFeedItem = FeedItem & { seq: number };
