import { describe, expect, it } from 'vitest';
import { ExactNumber } from '#shared/kernel/exact-number';
import { type PlanDocument, type PlanResource, parsePlanDocument } from '#shared/plans/document';
import { createRedactor, redactedMark } from '../../runner/contract/redaction/redactor.ts';
import { redactDocument } from './redact-document.ts';

const resource: PlanResource = {
  ...{ address: 'a.b["eu"]', type: 'a', name: 'b', providerName: 'r/h/a', mode: 'managed', actions: ['update'] },
  ...{ before: {}, after: {}, afterUnknown: {}, beforeSensitive: false, afterSensitive: {} },
};
const documentOf = (over: Partial<PlanResource>): PlanDocument => ({
  ...{ formatVersion: '1', toolVersion: '1.12.6', summary: { add: 0, change: 1, destroy: 0 } },
  ...{ resources: [{ ...resource, ...over }], outputs: [], drift: [], diagnostics: [] },
  ...{ resourceCount: 1, unchangedCount: 0 },
});
const redact = (over: Partial<PlanResource>, ...secrets: string[]): PlanDocument =>
  parsePlanDocument(JSON.stringify(redactDocument(documentOf(over), createRedactor(secrets))));

describe('a redacted plan document', () => {
  it('contains no secret inside a text or a name, and keeps numbers', () => {
    const after = { script: 'login tok-12345678', 'tok-12345678': ExactNumber.read('9007199254740993') ?? 0 };
    const [redacted] = redact({ after, replacePaths: [['tok-12345678']] }, 'tok-12345678').resources;
    expect(redacted?.after).toEqual({ script: `login ${redactedMark}`, [redactedMark]: after['tok-12345678'] });
    expect(redacted?.replacePaths).toEqual([[redactedMark]]);
  });

  it('keeps its form when a secret is a word of the form', () => {
    const over = { importing: { id: 'x' }, address: 'a.b["update"]' };
    const secrets = ['id', 'update', 'managed', 'address', 'importing'];
    expect(redact(over, ...secrets).resources[0]).toMatchObject({ ...over, actions: ['update'], mode: 'managed' });
  });
});
