import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { parseExactly } from '../kernel/exact-number.ts';
import { Count } from '../kernel/scalars.ts';
import { Diagnostic } from '../runs/feed.ts';
import { PlanAction, PlanSummary } from './summary.ts';

/** One change of a plan. Sensitive values are replaced by `{"$svc":"sensitive"}`. */
export const PlanResource = z.strictObject({
  address: z.string(),
  moduleAddress: z.string().optional(),
  type: z.string(),
  name: z.string(),
  providerName: z.string(),
  mode: z.enum(['managed', 'data']),
  actions: z.array(PlanAction),
  actionReason: z.string().optional(),
  before: AnyJson,
  after: AnyJson,
  afterUnknown: AnyJson,
  beforeSensitive: AnyJson,
  afterSensitive: AnyJson,
  /** Paths of the attributes that force a replace. */
  replacePaths: z.array(AnyJson).optional(),
  previousAddress: z.string().optional(),
  importing: z.strictObject({ id: z.string().optional() }).optional(),
  deposed: z.string().optional(),
});
export type PlanResource = z.infer<typeof PlanResource>;

export const PlanOutput = z.strictObject({
  name: z.string(),
  actions: z.array(PlanAction),
  before: AnyJson,
  after: AnyJson,
  afterUnknown: AnyJson,
  sensitive: z.boolean(),
});
export type PlanOutput = z.infer<typeof PlanOutput>;

/** Part of a plan that is stored and shown. It holds no sensitive value and no secret material of its Run. */
export const PlanDocument = z.strictObject({
  formatVersion: z.literal('1'),
  toolVersion: z.string(),
  summary: PlanSummary,
  /** Destroys, replaces, forgets, then the rest; each by address. */
  resources: z.array(PlanResource),
  outputs: z.array(PlanOutput),
  drift: z.array(PlanResource),
  diagnostics: z.array(Diagnostic),
  resourceCount: Count,
  /** Resources that the plan does not change; they are only counted. */
  unchangedCount: Count,
  /** Start of the next page; absent on the last one. */
  nextAfter: Count.optional(),
});
export type PlanDocument = z.infer<typeof PlanDocument>;

/** Resources of a document from an index on. */
export type PlanPage = { after?: number | undefined; limit: number };

const Paged = z.looseObject({ resources: z.array(z.unknown()) });

/**
 * Parses the JSON text of a plan document, or only one page of it: the other resources of a large plan are not checked
 * again. Numbers keep every digit. Throws when the text does not have the form of any version.
 */
export function parsePlanDocument(text: string, page?: PlanPage): PlanDocument {
  const value = parseExactly(text);
  const parsed = PlanDocument.safeParse(page ? pageOf(value, page) : value);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new Error(`A plan document does not have its form at "${path}". Plan again.`);
}

function pageOf(value: unknown, { after = 0, limit }: PlanPage): unknown {
  const paged = Paged.safeParse(value);
  if (!paged.success) return value;
  const { resources, ...rest } = paged.data;
  const end = after + limit;
  return { ...rest, resources: resources.slice(after, end), ...(end < resources.length && { nextAfter: end }) };
}
