import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { encryptionNames, sealState } from '#server/drivers/tofu/index';
import { factsFile } from './facts-file.ts';
import { journalFile } from './journal.ts';
import { findLastState } from './last-state.ts';
import { stateFileOf } from './layout.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-last-state-'));
afterAll(() => rmSync(root, { recursive: true }));

const key = randomBytes(32).toString('base64');
const textOf = (serial: number, lineage = 'own'): string =>
  JSON.stringify({ version: 4, terraform_version: '1.12.6', serial, lineage, outputs: {}, resources: [] });
const seal = (text: string, by = key): string | Buffer => sealState(text, by, encryptionNames(by));

let runDir = '';
let capsuleDir = '';
let toolName: 'tofu' | 'terraform' = 'tofu';
beforeEach(() => {
  runDir = mkdtempSync(path.join(root, 'run-'));
  capsuleDir = mkdtempSync(path.join(root, 'capsule-'));
  toolName = 'tofu';
  writeFileSync(factsFile(runDir), JSON.stringify({ lineage: 'own', serial: 3, digest: '', content: '' }));
});

/** Writes a copy to the folder of the Run and records it in its journal. */
function keep(name: string, content: string | Buffer): void {
  writeFileSync(path.join(runDir, name), content);
  appendFileSync(
    journalFile(runDir),
    `${JSON.stringify({ t: 'state', at: 1, file: name, lineage: 'own', serial: 0 })}\n`,
  );
}
function leave(content: string | Buffer): void {
  const file = stateFileOf(capsuleDir, toolName);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
const find = (): unknown => {
  const text = findLastState({ runDir, capsuleDir, toolName, key })?.text;
  return text === undefined ? undefined : (JSON.parse(text) as { serial: number }).serial;
};

describe('the newest state of an apply without a supervisor at its end', () => {
  test('is the newest copy that opens', () => {
    keep('a', seal(textOf(4)));
    keep('b', seal(textOf(5)));
    keep('c', 'torn');
    expect(find()).toBe(5);
  });

  test('is what the tool itself wrote after the last copy', () => {
    keep('a', seal(textOf(4)));
    leave(seal(textOf(6)));
    expect(find()).toBe(6);
  });

  test('is the last copy when the file of the tool is truncated', () => {
    keep('a', seal(textOf(4)));
    leave(String(seal(textOf(6))).slice(0, -20));
    expect(find()).toBe(4);
  });

  test('is the state that the tool could only print', () => {
    keep('a', seal(textOf(4)));
    writeFileSync(path.join(runDir, 'emergency.tfstate'), seal(textOf(7)));
    expect(find()).toBe(7);
  });

  test('is found without a journal too', () => {
    keep('state-000004-0011aabb.tfstate', seal(textOf(4)));
    writeFileSync(journalFile(runDir), 'no record\n');
    expect(find()).toBe(4);
    rmSync(journalFile(runDir));
    expect(find()).toBe(4);
  });

  const invalidStates: [string, () => void][] = [
    ['of another lineage', () => leave(seal(textOf(9, 'foreign')))],
    ['from before the apply', () => leave(seal(textOf(2)))],
    ['under another key', () => leave(seal(textOf(9), randomBytes(32).toString('base64')))],
    ['in clear, from a tool that seals', () => leave(textOf(9))],
    [
      'behind a link',
      () => {
        writeFileSync(path.join(root, 'elsewhere'), seal(textOf(9)));
        mkdirSync(path.join(capsuleDir, 'state'));
        symlinkSync(path.join(root, 'elsewhere'), path.join(capsuleDir, 'state', 'terraform.tfstate'));
      },
    ],
    [
      'outside of the folder of the Run',
      () => {
        writeFileSync(path.join(root, 'outside'), seal(textOf(9)));
        appendFileSync(
          journalFile(runDir),
          `${JSON.stringify({ t: 'state', at: 1, file: '../outside', lineage: 'own', serial: 9 })}\n`,
        );
      },
    ],
  ];
  test.each(invalidStates)('is undefined %s', (_name, prepare) => {
    prepare();
    expect(find()).toBeUndefined();
    keep('a', seal(textOf(4)));
    expect(find()).toBe(4);
  });

  test('is undefined when the baseline of the apply is unknown', () => {
    keep('a', seal(textOf(4)));
    writeFileSync(factsFile(runDir), 'torn');
    expect(find()).toBeUndefined();
    rmSync(factsFile(runDir));
    expect(find()).toBeUndefined();
  });

  test('may be an unencrypted file of terraform', () => {
    toolName = 'terraform';
    leave(textOf(5));
    expect(find()).toBe(5);
    rmSync(path.dirname(path.dirname(stateFileOf(capsuleDir, toolName))), { recursive: true });
  });
});
