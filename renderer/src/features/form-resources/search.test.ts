import { describe, expect, it } from 'vitest';
import type { FormResourceRecord } from '#shared/form-resources/contract';
import { isMatch, readFormResourcesSearch } from './search.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const resource: FormResourceRecord = {
  id: 'res_01',
  workspaceId: 'ws_01',
  kind: 'Greeting',
  name: 'front-desk',
  form: {
    formRef: {
      apiVersion: 'greetings.example/v1',
      kind: 'Greeting',
      definitionVersion: '1.0.0',
      schemaDigest: digest,
    },
    packageDigest: digest,
  },
  formDisplayName: 'Hotel greetings',
  formInstalled: true,
  resourceVersion: '3',
  ready: true,
  imported: false,
  driftedFields: ['/text'],
  createdBy: 'acct_01',
  createdAt: '2026-11-26T10:00:00.000Z',
  updatedAt: '2026-11-26T11:00:00.000Z',
};

describe('readFormResourcesSearch', () => {
  it('reads both filters', () => {
    expect(readFormResourcesSearch({ q: 'desk', status: 'drifted' })).toEqual({ q: 'desk', status: 'drifted' });
  });

  it('leaves out an empty text and a status that does not exist', () => {
    expect(readFormResourcesSearch({ q: '', status: 'broken' })).toEqual({});
  });
});

describe('isMatch', () => {
  it.each(['FRONT', 'greeting', 'hotel', 'res_01'])('finds a Resource by %s', (q) => {
    expect(isMatch(resource, { q })).toBe(true);
  });

  it('leaves out a Resource with another name, kind, form and id', () => {
    expect(isMatch(resource, { q: 'lobby' })).toBe(false);
  });

  it('compares the status too', () => {
    expect(isMatch(resource, { q: 'desk', status: 'drifted' })).toBe(true);
    expect(isMatch(resource, { q: 'desk', status: 'ready' })).toBe(false);
  });
});
