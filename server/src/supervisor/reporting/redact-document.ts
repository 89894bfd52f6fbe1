import { ExactNumber } from '#shared/kernel/exact-number';
import type { PlanDocument } from '#shared/plans/document';
import type { Redactor } from '../../runner/contract/redaction/redactor.ts';

/** Members of a planned resource by which the ledger identifies it. */
const naming = new Set([
  'address',
  'moduleAddress',
  'previousAddress',
  'type',
  'name',
  'providerName',
  'actions',
  'mode',
  'actionReason',
  'deposed',
]);

/**
 * Removes secrets in any encoding from a plan document. Sensitive values and values that equal a secret are marks
 * already; this redacts texts that contain one, such as a start script with a password.
 */
export function redactDocument(document: PlanDocument, redactor: Redactor): PlanDocument {
  const resource = <T extends object>(item: T): T =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        naming.has(key) ? deep(value, redactor.address) : deep(value, redactor.text),
      ]),
    ) as T;
  return {
    ...document,
    toolVersion: redactor.text(document.toolVersion),
    resources: document.resources.map(resource),
    drift: document.drift.map(resource),
    outputs: document.outputs.map(resource),
  };
}

function deep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  // A number that is a secret is a mark already.
  if (value instanceof ExactNumber) return value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => deep(item, redact));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), deep(item, redact)]));
}
