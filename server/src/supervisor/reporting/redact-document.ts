import { isContainer, type Json } from '#shared/kernel/json';
import type { PlanDocument, PlanOutput, PlanResource } from '#shared/plans/document';
import type { Redactor } from '../../runner/contract/redaction/redactor.ts';

/**
 * Removes secrets in any encoding from a plan document. Sensitive values and values that equal a secret are marks
 * already; this redacts texts that contain one, such as a start script with a password.
 */
export const redactDocument = (document: PlanDocument, redactor: Redactor): PlanDocument => ({
  ...document,
  toolVersion: redactor.text(document.toolVersion),
  resources: document.resources.map((resource) => redactResource(resource, redactor)),
  drift: document.drift.map((resource) => redactResource(resource, redactor)),
  outputs: document.outputs.map((output) => redactOutput(output, redactor)),
});

/** The members that name a resource are redacted as addresses, by which the ledger identifies it. */
const redactResource = (resource: PlanResource, { address, text }: Redactor): PlanResource => {
  const optional = (name: string | undefined) => name && address(name);
  return {
    ...resource,
    address: address(resource.address),
    moduleAddress: optional(resource.moduleAddress),
    previousAddress: optional(resource.previousAddress),
    type: address(resource.type),
    name: address(resource.name),
    providerName: address(resource.providerName),
    actionReason: optional(resource.actionReason),
    deposed: optional(resource.deposed),
    ...redactSides(resource, text),
    beforeSensitive: redactValue(resource.beforeSensitive, text),
    afterSensitive: redactValue(resource.afterSensitive, text),
    replacePaths: resource.replacePaths?.map((path) => redactValue(path, text)),
    importing: resource.importing && { id: resource.importing.id && text(resource.importing.id) },
  };
};

const redactOutput = (output: PlanOutput, { address, text }: Redactor): PlanOutput => ({
  ...output,
  name: address(output.name),
  ...redactSides(output, text),
});

type Sides = Pick<PlanResource, 'before' | 'after' | 'afterUnknown'>;

const redactSides = ({ before, after, afterUnknown }: Sides, redact: (text: string) => string): Sides => ({
  before: redactValue(before, redact),
  after: redactValue(after, redact),
  afterUnknown: redactValue(afterUnknown, redact),
});

/** Redacts texts and names of members. A number that is a secret is a mark already. */
function redactValue(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactValue(item, redact));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, redact)]));
}
