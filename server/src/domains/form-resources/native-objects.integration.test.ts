import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import { formHostLimits } from '#shared/limits';
import { createNativeObjects } from './native-objects.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'native-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const owner = { workspaceId: 'ws_1', resourceId: 'res_1', generation: 1, operation: 'sha256:1' };
const fileOf = (id: string) => path.join(folder, 'forms', 'native', `${id}.json`);
const place = (id: string, text: string) => {
  fs.mkdirSync(path.dirname(fileOf(id)), { recursive: true });
  fs.writeFileSync(fileOf(id), text);
};

describe('a native object', () => {
  it('is written as a whole, private, with its owner and its exact numbers', () => {
    const objects = createNativeObjects(folder);
    const spec = parseExactly('{"size":12345678901234567890.5}') as JsonObject;
    objects.write('one', spec, owner);
    expect(objects.read('one')).toEqual({ state: 'present', spec, owner });
    expect(fs.readFileSync(fileOf('one'), 'utf8')).toContain('12345678901234567890.5');
    expect(fs.statSync(fileOf('one')).mode & 0o777).toBe(0o600);
    objects.remove('one');
    objects.remove('one');
    expect(objects.read('one')).toEqual({ state: 'missing' });
  });

  it('that no Resource owns needs only a spec', () => {
    place('free', '{"spec":{"a":1}}');
    expect(createNativeObjects(folder).read('free')).toEqual({ state: 'present', spec: { a: 1 }, owner: undefined });
  });

  it.each([
    ['text that is not JSON', '{'],
    ['a list', '[]'],
    ['a spec that is not an object', '{"spec":1}'],
    ['an unknown member', '{"spec":{},"more":1}'],
    ['an owner without an operation', '{"spec":{},"owner":{"workspaceId":"a","resourceId":"b","generation":1}}'],
    ['the key __proto__', '{"spec":{"__proto__":{}}}'],
    ['deep nesting', `{"spec":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`],
    ['too many bytes', `{"spec":{"a":"${'x'.repeat(formHostLimits.nativeBytes)}"}}`],
  ])('is unreadable with %s', (_, text) => {
    place('odd', text);
    expect(createNativeObjects(folder).read('odd')).toEqual({ state: 'unreadable' });
  });

  it('is unreadable at a link, and nothing is written through one', () => {
    const outside = path.join(folder, 'outside.json');
    fs.writeFileSync(outside, '{"spec":{"a":1}}');
    fs.mkdirSync(path.dirname(fileOf('link')), { recursive: true });
    fs.symlinkSync(outside, fileOf('link'));
    fs.symlinkSync(path.join(folder, 'nothing'), fileOf('dangling'));
    const objects = createNativeObjects(folder);
    expect([objects.read('link'), objects.read('dangling')]).toEqual([
      { state: 'unreadable' },
      { state: 'unreadable' },
    ]);
    objects.write('link', { a: 2 }, owner);
    expect(fs.readFileSync(outside, 'utf8')).toBe('{"spec":{"a":1}}');
  });
});
