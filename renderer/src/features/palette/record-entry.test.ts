import { describe, expect, it } from 'vitest';
import { pathOf } from './record-entry.ts';

describe('pathOf', () => {
  it.each([
    ['capsule', '/capsules/x'],
    ['run', '/runs/x'],
    ['interface', '/interfaces/x'],
    ['form_resource', '/form-resources/x'],
    ['source', '/sources/x'],
    ['connection', '/connections/x'],
    ['project', '/workspace#projects'],
    ['workspace', '/'],
  ] as const)('of a %s is %s', (kind, path) => {
    expect(pathOf({ kind, id: 'x' })).toBe(path);
  });
});
