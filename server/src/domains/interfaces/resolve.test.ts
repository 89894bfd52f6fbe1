import { describe, expect, it } from 'vitest';
import type { CurrentPublicOutputs } from '#server/domains/state-versions/index';
import type { InterfaceInput, InterfaceSpec } from '#shared/interfaces/contract';
import type { JsonObject } from '#shared/kernel/json';
import { changedValues, type FindOutputs, type Resolution, resolveInputs } from './resolve.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const origin = { runId: 'apply_1', stateVersionId: 'state_1', outputId: 'out_1', outputDigest: digest };
const outputs = (values: JsonObject, partial = false): CurrentPublicOutputs => ({ ...origin, partial, values });
const output = (outputName: string, pointer?: string): InterfaceInput => ({
  source: 'capsule_output',
  capsuleId: 'cap_1',
  outputName,
  ...(pointer !== undefined && { pointer }),
});
const literal = (value: unknown) => ({ source: 'literal', value }) as InterfaceInput;
const specOf = (inputs: Record<string, InterfaceInput>, resourceUriInput?: string): InterfaceSpec => ({
  type: 'mcp.server',
  version: '2025-11-25',
  document: {},
  inputs,
  access: { visibility: 'workspace', ...(resourceUriInput !== undefined && { resourceUriInput }) },
});
const resolve = (spec: InterfaceSpec, current: ReturnType<FindOutputs> = outputs({})): Resolution =>
  resolveInputs({ spec, generation: 3 }, { findOutputs: () => current, findResource: () => undefined });
const selectFrom = (values: JsonObject, pointer?: string) =>
  resolve(specOf({ endpoint: output('url', pointer) }), outputs(values));

describe('an input', () => {
  it('of source literal has its value, and the generation of the spec as provenance', () => {
    expect(resolve(specOf({ limit: literal(5) }))).toEqual({
      event: 'resolve',
      inputs: { limit: 5 },
      provenance: { limit: { source: 'literal', specGeneration: 3 } },
      resourceUri: null,
    });
  });

  it('of source capsule_output has the Output, and names Run, StateVersion, Output and digest', () => {
    expect(selectFrom({ url: 'https://a.example' })).toEqual({
      event: 'resolve',
      inputs: { endpoint: 'https://a.example' },
      provenance: { endpoint: { source: 'capsule_output', ...origin, outputName: 'url' } },
      resourceUri: null,
    });
  });

  it.for<[name: string, value: JsonObject, pointer: string, selected: unknown]>([
    ['the whole value', { a: 1 }, '', { a: 1 }],
    ['a member', { a: { b: 'x' } }, '/a/b', 'x'],
    ['an item of a list', { a: ['x', 'y'] }, '/a/1', 'y'],
    ['an escaped slash', { 'a/b': 1 }, '/a~1b', 1],
    ['an escaped tilde', { 'a~b': 1 }, '/a~0b', 1],
    ['an empty key', { '': 1 }, '/', 1],
    ['null', { a: null }, '/a', null],
    ['false', { a: false }, '/a', false],
  ])('with a JSON Pointer selects %s', ([, url, pointer, selected]) => {
    const resolution = selectFrom({ url }, pointer);
    expect(resolution).toMatchObject({ event: 'resolve', inputs: { endpoint: selected } });
    expect(resolution).toMatchObject({ provenance: { endpoint: { pointer } } });
  });

  it('called like a member of every object is an ordinary input', () => {
    const spec = specOf({ constructor: literal('https://a.example/x') }, 'constructor');
    expect(resolve(spec)).toMatchObject({ resourceUri: 'https://a.example/x' });
  });
});

describe('an input of source resource_output', () => {
  const native = { url: 'https://a.example', more: { a: [1] } };
  const ofResource = (more: { outputName?: string; pointer?: string } = {}): InterfaceInput => ({
    source: 'resource_output',
    resourceId: 'res_1',
    ...more,
  });
  const resolveResource = (input: InterfaceInput, values: JsonObject | null | undefined = native): Resolution => {
    const found = values === undefined ? undefined : { generation: 7, outputs: values };
    const readers = { findOutputs: () => undefined, findResource: () => found };
    return resolveInputs({ spec: specOf({ endpoint: input }), generation: 3 }, readers);
  };

  it.for<[name: string, selector: { outputName?: string; pointer?: string }, selected: unknown]>([
    ['the whole Output without a name', {}, native],
    ['the whole Output with the empty pointer', { pointer: '' }, native],
    ['a part of the whole Output', { pointer: '/more/a/0' }, 1],
    ['one member', { outputName: 'url' }, 'https://a.example'],
    ['a part of one member', { outputName: 'more', pointer: '/a' }, [1]],
  ])('selects %s, and names Resource and generation', ([, selector, selected]) => {
    expect(resolveResource(ofResource(selector))).toEqual({
      event: 'resolve',
      inputs: { endpoint: selected },
      provenance: {
        endpoint: { source: 'resource_output', resourceId: 'res_1', resourceGeneration: 7, ...selector },
      },
      resourceUri: null,
    });
  });

  it.for<[name: string, selector: { outputName?: string; pointer?: string }, values: JsonObject | null]>([
    ['the native object is missing', {}, null],
    ['the member does not exist', { outputName: 'other' }, native],
    ['the member is called like a prototype', { outputName: 'constructor' }, native],
    ['the pointer matches nothing', { outputName: 'url', pointer: '/a' }, native],
    ['the value looks like a credential', { outputName: 'token' }, { token: 'ghp_12345678' }],
  ])('is NotReady, InvalidResolvedInputs, because %s', ([, selector, values]) => {
    const resolution = resolveResource(ofResource(selector), values);
    expect(resolution).toMatchObject({ event: 'refuse', reason: 'InvalidResolvedInputs' });
    expect(resolution).not.toHaveProperty('inputs');
  });

  it('is NotReady, InvalidResolvedInputs, because the Resource does not exist', () => {
    expect(resolve(specOf({ endpoint: ofResource() }))).toMatchObject({
      event: 'refuse',
      reason: 'InvalidResolvedInputs',
      message: 'Input "endpoint": the Resource does not exist.',
    });
  });
});

describe('an Interface is NotReady, InvalidResolvedInputs, because', () => {
  it.for<[name: string, spec: InterfaceSpec, current: ReturnType<FindOutputs>]>([
    ['its Capsule was never applied', specOf({ endpoint: output('url') }), undefined],
    ['an Output is missing, sensitive or not public', specOf({ endpoint: output('url') }), outputs({ other: 1 })],
    ['an Output is called like a prototype', specOf({ endpoint: output('constructor') }), outputs({})],
    ['a pointer matches nothing', specOf({ endpoint: output('url', '/b') }), outputs({ url: { a: 1 } })],
    ['a pointer leaves the list', specOf({ endpoint: output('url', '/2') }), outputs({ url: ['a'] })],
    ['a pointer enters a text', specOf({ endpoint: output('url', '/length') }), outputs({ url: 'abc' })],
    ['a value looks like a credential', specOf({ endpoint: output('url') }), outputs({ url: ['ghp_12345678'] })],
    ['a value holds a password', specOf({ endpoint: output('url') }), outputs({ url: 'https://a:b1@a.example' })],
    ['the values together are too large', specOf({ endpoint: output('url') }), outputs({ url: 'x'.repeat(65_536) })],
  ])('%s', ([, spec, current]) => {
    const resolution = resolve(spec, current);
    expect(resolution).toMatchObject({ event: 'refuse', reason: 'InvalidResolvedInputs' });
    expect(resolution).not.toHaveProperty('inputs');
  });

  it('accepts values of exactly 64 KiB together', () => {
    const rest = JSON.stringify({ endpoint: '' }).length;
    expect(selectFrom({ url: 'x'.repeat(65_536 - rest) }).event).toBe('resolve');
    expect(selectFrom({ url: 'x'.repeat(65_537 - rest) }).event).toBe('refuse');
    // Bytes, not characters.
    expect(selectFrom({ url: 'é'.repeat(40_000) }).event).toBe('refuse');
  });
});

it('is NotReady, RunFailed, when a failed apply left a state without the Output', () => {
  const spec = specOf({ endpoint: output('url') });
  expect(resolve(spec, outputs({}, true))).toMatchObject({ event: 'refuse', reason: 'RunFailed' });
  expect(resolve(spec, outputs({ url: 'https://a.example' }, true))).toMatchObject({ event: 'resolve' });
});

it('is Unknown, ResolverUnavailable, when the Outputs are not those of the current state', () => {
  const resolution = resolve(specOf({ endpoint: output('url') }), 'unreadable');
  expect(resolution).toMatchObject({ event: 'lose', reason: 'ResolverUnavailable' });
});

it.for(['ftp://a.example', 'a.example', '/a', 'https:', 'https://', 'https:\\\\a.example', 'https://a b', '', 5, null])(
  'is NotReady, InvalidResourceUri, when the resource URI is %j',
  (value) => {
    const resolution = resolve(specOf({ endpoint: literal(value) }, 'endpoint'));
    expect(resolution).toMatchObject({ event: 'refuse', reason: 'InvalidResourceUri' });
  },
);

it('never repeats a value in its message', () => {
  const value = 'unmistakable-value';
  for (const resolution of [
    resolve(specOf({ endpoint: literal(value) }, 'endpoint')),
    selectFrom({ url: { [value]: 1 } }, '/a'),
    selectFrom({ url: `${value} ghp_12345678` }),
  ])
    expect(JSON.stringify(resolution)).not.toContain(value);
});

describe('a resolved Interface', () => {
  const provenanceOf = (stateVersionId: string) =>
    ({ source: 'capsule_output', ...origin, stateVersionId, outputName: 'url' }) as const;
  const before = {
    resolvedInputs: { a: 'x', b: { c: [1] } },
    provenance: { a: provenanceOf('state_1'), b: provenanceOf('state_1') },
  };

  it('has not changed when the values that its inputs select are equal', () => {
    const after = { inputs: { b: { c: [1] }, a: 'x' }, provenance: { a: provenanceOf('state_2') } };
    expect(changedValues(before, after)).toBeUndefined();
  });

  it('keeps the provenance of the values that are equal when another one has changed', () => {
    const provenance = { a: provenanceOf('state_2'), b: provenanceOf('state_2') };
    expect(changedValues(before, { inputs: { a: 'y', b: { c: [1] } }, provenance })?.provenance).toEqual({
      a: provenanceOf('state_2'),
      b: provenanceOf('state_1'),
    });
  });

  it.for<JsonObject>([{ a: 'x' }, { a: 'x', b: { c: [1] }, d: 1 }, { a: 'x', b: { c: ['1'] } }, { a: 'x', c: 1 }])(
    'has changed with the values %j',
    (inputs) => {
      expect(changedValues(before, { inputs, provenance: {} })?.inputs).toEqual(inputs);
    },
  );
});
