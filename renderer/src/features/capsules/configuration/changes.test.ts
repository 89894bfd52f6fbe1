import { describe, expect, it } from 'vitest';
import type { CapsuleConfiguration, ConfigurationInput } from '#shared/configuration-plans/configuration';
import { changedNames, type Edits, editableInputs, editOf, patchOf, realEdits, storedEntries } from './changes.ts';

const set = { kind: 'set', by: 'installation', at: '2026-01-01T00:00:00.000Z' } as const;
const inputOf = (name: string, more: Partial<ConfigurationInput> = {}): ConfigurationInput => ({
  name,
  declaration: { name, type: 'string', typeText: 'string', hasDefault: true, default: 'd' },
  required: false,
  secret: false,
  changeable: true,
  configured: true,
  value: { status: 'shown', value: name },
  origin: set,
  ...more,
});
const configurationOf = (...inputs: ConfigurationInput[]): CapsuleConfiguration => ({
  capsuleId: 'cap_1',
  installConfigId: 'icfg_1',
  compatibilityReportId: 'rep_1',
  inputs,
  change: { authorityGuard: `sha256:${'0'.repeat(64)}` },
  interfaceBlueprints: [],
  providerBindings: [],
});
const secret = inputOf('pin', { secret: true, value: { status: 'hidden' } });
const unset = inputOf('note', {
  configured: false,
  value: { status: 'shown', value: 'd' },
  origin: { kind: 'module_default' },
});
const configuration = configurationOf(inputOf('title'), unset, secret);
const fields = editableInputs(configuration, undefined);
const text = (value: string) => ({ draft: { kind: 'text' as const, text: value } });
const patched = (edits: Edits, of = configuration) => {
  const known = editableInputs(of, undefined);
  return patchOf(of, { fields: known, entries: { ...storedEntries(of, known), ...edits } });
};

describe('the patch of a change', () => {
  it('is empty while nothing differs, also after a value was typed again', () => {
    expect(patched({})).toEqual({ set: {}, remove: [] });
    expect(patched({ title: text('title') })).toEqual({ set: {}, remove: [] });
  });

  it('sets what differs, and removes what was emptied', () => {
    expect(patched({ title: text('other'), note: text('d') })).toEqual({
      set: { title: 'other', note: 'd' },
      remove: [],
    });
    expect(patched({ title: { isRemoved: true } })).toEqual({ set: {}, remove: ['title'] });
  });

  it('keeps a secret unless it is typed or its removal is chosen', () => {
    const pin = fields.find(({ declared }) => declared.name === 'pin');
    const emptied = editOf(pin, text('typed'), { draft: undefined });
    expect(patched({ pin: emptied })).toEqual({ set: {}, remove: [] });
    expect(patched({ pin: text('typed') })).toEqual({ set: { pin: 'typed' }, remove: [] });
    expect(patched({ pin: editOf(pin, {}, { isRemoved: true }) })).toEqual({ set: {}, remove: ['pin'] });
  });

  it('leaves out what another Capsule or the host supplies, and removes what is not declared any more', () => {
    const { declaration: _none, ...undeclared } = inputOf('old');
    const origin = {
      kind: 'dependency',
      dependencyId: 'dep_1',
      producerCapsuleId: 'cap_2',
      outputName: 'url',
      mode: 'variable_injection',
      required: true,
    } as const;
    const of = configurationOf(inputOf('url', { origin }), inputOf('id', { changeable: false }), undeclared);
    expect(editableInputs(of, undefined)).toEqual([]);
    expect(patched({}, of)).toEqual({ set: {}, remove: ['old'] });
  });
});

describe('a configuration that someone else changed', () => {
  const now = configurationOf(inputOf('title', { value: { status: 'shown', value: 'theirs' } }), unset, secret);

  it('names the inputs that differ', () => {
    expect(changedNames(configuration, now)).toEqual(['title']);
  });

  it('keeps only edits that change something, so that a visited field takes the new value', () => {
    const visited = { title: { ...text('title'), wasLeft: true }, note: text('mine') };
    expect(Object.keys(realEdits(configuration, fields, visited))).toEqual(['note']);
  });
});
