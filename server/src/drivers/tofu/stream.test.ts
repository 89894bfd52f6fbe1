import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacksProviders } from './diagnostic.ts';
import { createStreamParser } from './stream.ts';
import type { Diagnostic, StreamEvent } from './types.ts';

const recorded = (name: string): Buffer => fs.readFileSync(path.join(import.meta.dirname, 'fixtures', name));

function parse(bytes: Uint8Array | string, maxLineBytes?: number): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = createStreamParser({
    onEvent: (event) => events.push(event),
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  });
  parser.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  parser.end();
  return events;
}

const of = <K extends StreamEvent['kind']>(events: readonly StreamEvent[], kind: K) =>
  events.filter((event): event is Extract<StreamEvent, { kind: K }> => event.kind === kind);

describe('recorded streams', () => {
  it('of an init contain the version and the steps', () => {
    const events = parse(recorded('init.jsonl'));
    expect(events[0]).toEqual({ kind: 'version', tool: 'tofu', version: '1.12.6', ui: '1.2' });
    expect(of(events, 'log').map((event) => event.text)).toContain('OpenTofu has been successfully initialized!');
  });

  it('of an apply contain start and end of each resource, with its duration', () => {
    const events = parse(recorded('apply.jsonl'));
    const resources = of(events, 'resource');
    const started = resources.filter((event) => event.state === 'started').map((event) => event.address);
    const completed = resources.filter((event) => event.state === 'completed').map((event) => event.address);
    expect(started).toHaveLength(11);
    expect(new Set(completed)).toEqual(new Set(started));
    expect(started).toContain('module.child[0].terraform_data.inner["b\\"c"]');
    expect(resources.every((event) => event.action === 'create')).toBe(true);
    expect(resources.find((event) => event.state === 'completed')?.elapsedMs).toBe(0);
    expect(of(events, 'summary')).toEqual([{ kind: 'summary', operation: 'apply', add: 11, change: 0, destroy: 0 }]);
    expect(of(events, 'outputs')[0]?.actions).toEqual(new Map());
  });

  it('of a plan contain its counts, including imports and forgets', () => {
    const events = parse(recorded('plan-mixed.jsonl'));
    expect(of(events, 'summary')).toEqual([
      { kind: 'summary', operation: 'plan', add: 3, change: 4, destroy: 3, import: 1, forget: 1 },
    ]);
    expect(of(events, 'resource').every((event) => event.action === 'read')).toBe(true);
    expect(of(events, 'diagnostic')[0]).toMatchObject({
      severity: 'warning',
      message: 'Resource will be removed from the state',
    });
  });

  it('of a failing apply name the resource, the location and the output of its program', () => {
    const events = parse(recorded('apply-failed.jsonl'));
    expect(of(events, 'resource').at(-1)).toMatchObject({ address: 'terraform_data.bad', state: 'errored' });
    expect(of(events, 'diagnostic')).toEqual([
      {
        kind: 'diagnostic',
        severity: 'error',
        message: 'local-exec provisioner error',
        detail: expect.stringContaining('exit status 3'),
        address: 'terraform_data.bad',
        range: { filename: 'main.tf', start: { line: 5, column: 30 }, end: { line: 5, column: 31 } },
      },
    ]);
    expect(of(events, 'log').map((event) => event.text)).toContain('terraform_data.bad: (local-exec): line one');
  });

  it('of a plan without a value name the variable', () => {
    const [diagnostic] = of(parse(recorded('plan-missing-variable.jsonl')), 'diagnostic');
    expect(diagnostic).toMatchObject({ severity: 'error', variable: 'region', range: { filename: 'main.tf' } });
  });

  it('of an init that lacks a provider are distinguished from other failures', () => {
    const lacking = of(parse(recorded('init-missing-provider.jsonl')), 'diagnostic') as Diagnostic[];
    expect(lacksProviders(lacking)).toBe(true);
    expect(lacksProviders([])).toBe(false);
    expect(lacksProviders([...lacking, { severity: 'error', message: 'Failed to download module' }])).toBe(false);
    const contradicted = 'locked provider r/h/time 0.13.2 does not match configured version constraint ~> 0.14';
    expect(
      lacksProviders([{ severity: 'error', message: 'Failed to resolve provider packages', detail: contradicted }]),
    ).toBe(false);
  });

  it('produce the same events for any chunking of the bytes', () => {
    const bytes = Buffer.concat([recorded('apply-failed.jsonl'), Buffer.from('plain „täxt“ 🚀\n')]);
    const whole = parse(bytes);
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const events: StreamEvent[] = [];
      const parser = createStreamParser({ onEvent: (event) => events.push(event) });
      for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
      parser.end();
      expect(events).toEqual(whole);
    }
    expect(whole.at(-1)).toEqual({ kind: 'log', level: 'info', text: 'plain „täxt“ 🚀' });
  });
});

describe('a hostile stream', () => {
  it('emits no event for invalid fields', () => {
    const lines = [
      { type: 'apply_complete' },
      { type: 'apply_complete', hook: { resource: { addr: 7 }, action: 'create' } },
      { type: 'apply_complete', hook: { resource: { addr: '' }, action: 'create' } },
      { type: 'apply_complete', hook: { resource: { addr: 'a'.repeat(9_000) }, action: 'create' } },
      { type: 'apply_complete', hook: { resource: { addr: 'a.b' }, action: 'constructor' } },
      { type: 'constructor', hook: { resource: { addr: 'a.b' }, action: 'create' } },
      { type: ['apply_complete'], hook: { resource: { addr: 'a.b' }, action: 'create' } },
      { type: 'change_summary', changes: { add: -1, change: 0, remove: 0, operation: 'plan' } },
      { type: 'change_summary', changes: { add: Number.MAX_VALUE, change: 0, remove: 0, operation: 'plan' } },
      { type: 'change_summary', changes: { add: 1, change: 0, remove: 0, operation: 'toString' } },
      { type: 'diagnostic', diagnostic: { severity: 'error' } },
      { type: 'outputs', outputs: [1] },
      { type: 'version', tofu: 1 },
    ];
    expect(parse(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([]);
  });

  it('drops invalid times and incomplete ranges', () => {
    const hook = { resource: { addr: 'a.b' }, action: 'create', elapsed_seconds: '1' };
    expect(parse(JSON.stringify({ type: 'apply_complete', hook }))).toEqual([
      { kind: 'resource', address: 'a.b', action: 'create', state: 'completed' },
    ]);
    const diagnostic = { severity: 'fatal', summary: 'x', range: { filename: 'm.tf', start: { line: 1 } } };
    expect(parse(JSON.stringify({ type: 'diagnostic', diagnostic }))).toEqual([
      { kind: 'diagnostic', severity: 'info', message: 'x' },
    ]);
  });

  it('treats a line that is not a JSON object as text', () => {
    expect(parse('{"@message":\n[1]\n"x"\n\n  \nnull\r\n')).toEqual(
      ['{"@message":', '[1]', '"x"', 'null'].map((text) => ({ kind: 'log', level: 'info', text })),
    );
  });

  it('drops a line that is too long and continues with the next', () => {
    const events = parse(`${'x'.repeat(300)}\nshort\n${'y'.repeat(300)}`, 100);
    expect(events.map((event) => (event as { text: string }).text)).toEqual([
      expect.stringContaining('left out'),
      'short',
      expect.stringContaining('left out'),
    ]);
  });
});

describe('lines that a module writes to crash the reader', () => {
  const kindsAfter = (line: string) => parse(`${line}\n{"@message":"after"}\n`).map((event) => event.kind);

  it.each([
    ['nested too deep to be printed', `{"state":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`],
    ['with a list nested where a word belongs', `{"@message":"x","type":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['with an object that cannot become a text', '{"@message":"x","type":{"toString":1},"@level":{"toString":1}}'],
    [
      'with such objects inside a diagnostic',
      '{"type":"diagnostic","diagnostic":{"summary":"variable","snippet":{"context":{"toString":1},"values":[{"traversal":{"toString":1}}]}}}',
    ],
    ['with an invalid action', '{"type":"apply_start","hook":{"resource":{"addr":"a.b"},"action":{"toString":1}}}'],
  ])('%s do not crash it', (_what, line) => {
    expect(kindsAfter(line).at(-1)).toBe('log');
  });

  it('longer than the parse limit are not parsed', () => {
    const filler = 'x'.repeat(9_000_000);
    const [left, after] = parse(`{"@message":"${filler}"}\n{"@message":"after"}\n`);
    expect(left).toEqual({ kind: 'log', level: 'warn', text: '[a line of 9000015 characters was left out]' });
    expect(after).toEqual({ kind: 'log', level: 'info', text: 'after' });
    const state = `{"version":4,"filler":"${filler}"}`;
    expect(of(parse(`{"@level":"error","@message":"x","state":${state},"type":"log"}`), 'stateDump')).toEqual([
      { kind: 'stateDump', state },
    ]);
  });

  it('with names that the tool would not print produce no event', () => {
    const diagnostic = { summary: 's', address: 'a'.repeat(9_000), range: { filename: 'f'.repeat(9_000) } };
    expect(parse(JSON.stringify({ type: 'diagnostic', diagnostic }))).toEqual([
      { kind: 'diagnostic', severity: 'info', message: 's' },
    ]);
    const hook = { resource: { addr: 'a.b["\u001b[2J"]' }, action: 'create' };
    expect(parse(JSON.stringify({ type: 'apply_start', hook }))).toEqual([]);
  });
});

describe('a state that could not be saved', () => {
  const state = '{"version":4,"serial":7,"outputs":{"n":{"value":12345678901234567890,"type":"log"}}}';
  const line = `{"@level":"info","@message":"Emergency state dump","@module":"tofu.ui","@timestamp":"t","state":${state},"type":"log"}`;

  it('is emitted separately, byte for byte, and never as text', () => {
    expect(parse(`${line}\nafter\n`)).toEqual([
      { kind: 'stateDump', state },
      { kind: 'log', level: 'info', text: 'after' },
    ]);
  });

  it('is also separated when it is printed plainly', () => {
    const events = parse(
      'Emergency state dump:\n{\n  "version": 4,\n  "secret": "x"\n}\n{"@level":"info","@message":"done"}\ntext\n',
    );
    expect(of(events, 'log').map((event) => event.text)).toEqual(['done', 'text']);
    expect(
      of(events, 'stateDump')
        .map((event) => event.state)
        .join('\n'),
    ).toContain('"secret": "x"');
  });

  it('is found in any form of the line', () => {
    expect(of(parse(JSON.stringify({ type: 'log', state: { a: 1 }, x: 1 })), 'stateDump')).toEqual([
      { kind: 'stateDump', state: '{"a":1}' },
    ]);
  });
});
