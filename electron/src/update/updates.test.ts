import { describe, expect, test } from 'vitest';
import { packageOrigin } from './package-origin.ts';
import { updateTextsEn as t } from './update-texts.ts';
import { createUpdates, type Question, type UpdateParts } from './updates.ts';

const record = {
  format: 1 as const,
  version: '2.0.0',
  ledger: 60,
  publishedAt: '2026-11-27T00:00:00Z',
  notesUrl: 'https://example.test/notes',
  signature: 'AAAA',
  files: [],
};

/** Plays a person who gives these answers; the last one counts for all later questions. */
function createScene(answers: readonly number[] = [0], replaced: Partial<UpdateParts> = {}) {
  const steps: string[] = [];
  const questions: Question[] = [];
  const note = <Value>(name: string, value: Value) => {
    steps.push(name);
    return value;
  };
  const updates = createUpdates({
    t,
    channel: { url: 'https://example.test/stable/', publicKey: 'A'.repeat(43) },
    origin: 'signed',
    installed: { version: '1.0.0', ledger: 52 },
    fetchRelease: async () => record,
    judgeRelease: () => 'newer',
    openUpdater: async () => ({
      check: async () => 'offered',
      download: async () => note('download', undefined),
      install: async () => note('install', undefined),
    }),
    showDialog: async (question) => {
      questions.push(question);
      return answers[Math.min(questions.length, answers.length) - 1] ?? 0;
    },
    reportNone: ({ message }) => note(`none: ${message}`, undefined),
    openNotes: (url) => note(`notes ${url}`, undefined),
    findSupervisedRuns: () => [],
    stopServer: async () => note('stop', undefined),
    copyLedger: () => note('copy', undefined),
    startAgain: () => note('start again', undefined),
    ...replaced,
  });
  return { updates, steps, questions, messages: () => questions.map(({ message }) => message) };
}

test('an update is downloaded and installed with consent, after the stop and the copy of the ledger', async () => {
  const scene = createScene();
  await scene.updates.check();
  expect(scene.messages()).toEqual(['Version 2.0.0 is available', 'Version 2.0.0 is ready to be installed']);
  expect(scene.steps).toEqual(['download', 'stop', 'copy', 'install']);
});

test('a check at the start is silent unless there is an update', async () => {
  const offered = createScene([2]);
  await offered.updates.checkAtStart();
  expect(offered.messages()).toEqual(['Version 2.0.0 is available']);
  const current = createScene([0], { judgeRelease: () => 'current' });
  await current.updates.checkAtStart();
  const offline = createScene([0], { fetchRelease: () => Promise.reject(new Error('no network')) });
  await offline.updates.checkAtStart();
  expect([current.questions, offline.questions]).toEqual([[], []]);
  expect([current.steps, offline.steps]).toEqual([
    ['none: This is the latest release'],
    ['none: The latest release is not known'],
  ]);
});

test.each([
  ['unsigned', true, undefined, 'This package is not signed, so it names no releases.'],
  ['sources', false, undefined, 'This is not a package: it was started from the sources.'],
] as const)('a program that is %s says so, and is not updated', async (origin, isPackaged, channel, statement) => {
  expect(packageOrigin({ isPackaged, channel })).toBe(origin);
  const scene = createScene([0], { channel, origin });
  await scene.updates.check();
  expect(scene.questions).toEqual([
    { message: 'This package is not updated automatically', detail: `${statement} ${t.noChannelWhy}` },
  ]);
  expect(scene.steps).toEqual([]);
});

test('the notes are shown as often as the person asks for them', async () => {
  const scene = createScene([1, 1, 2]);
  await scene.updates.check();
  expect(scene.steps).toEqual(['notes https://example.test/notes', 'notes https://example.test/notes']);
});

describe('nothing is', () => {
  test.each([
    ['downloaded without consent', [2], []],
    ['downloaded when the dialog is closed', [-1], []],
    ['installed without consent', [0, 1], ['download']],
  ])('%s', async (_what, answers, steps) => {
    const scene = createScene(answers);
    await scene.updates.check();
    expect(scene.steps).toEqual(steps);
  });
});

describe('the person reads why there is no update:', () => {
  test.each<[string, Partial<UpdateParts>, string]>([
    ['a package without a channel', { channel: undefined }, t.noChannel],
    ['the latest version', { judgeRelease: () => 'current' }, t.current],
    ['a release behind the ledger', { judgeRelease: () => 'behind_ledger' }, 'Version 2.0.0 cannot be installed'],
    ['no network', { fetchRelease: () => Promise.reject(new Error('It cannot be reached.')) }, t.cannotCheck],
    ['an updater that fails', { openUpdater: () => Promise.reject(new Error('No file.')) }, t.cannotCheck],
  ])('%s', async (_what, replaced, message) => {
    const scene = createScene([0], replaced);
    await scene.updates.check();
    expect(scene.messages()).toEqual([message]);
    expect(scene.steps).toEqual([]);
  });

  test.each([
    ['waiting', 'Version 2.0.0 is not offered to this machine yet'],
    ['other', t.otherUpdate],
  ] as const)('an update that is %s', async (offer, message) => {
    const updater = { check: async () => offer, download: async () => undefined, install: async () => undefined };
    const scene = createScene([0], { openUpdater: async () => updater });
    await scene.updates.check();
    expect(scene.messages()).toEqual([message]);
  });

  test('a download that fails', async () => {
    const download = () => Promise.reject(new Error('sha512 checksum mismatch'));
    const updater = { check: async () => 'offered' as const, download, install: async () => undefined };
    const scene = createScene([0], { openUpdater: async () => updater });
    await scene.updates.check();
    expect(scene.messages().at(-1)).toBe(t.downloadFailed);
    expect(scene.steps).toEqual([]);
  });
});

describe('a Run', () => {
  test('that has a supervisor here keeps the update from being installed, and the server goes on', async () => {
    const scene = createScene([0], { findSupervisedRuns: () => ['run_1', 'run_2'] });
    await scene.updates.check();
    expect(scene.messages().at(-1)).toBe(t.busy);
    expect(scene.questions.at(-1)?.detail).toContain('run_1, run_2');
    expect(scene.steps).toEqual(['download']);
  });

  test('that started before the stop does so too, and the server starts again', async () => {
    const supervised: string[][] = [[], ['run_1']];
    const scene = createScene([0], { findSupervisedRuns: () => supervised.shift() ?? [] });
    await scene.updates.check();
    expect(scene.steps).toEqual(['download', 'stop', 'start again']);
  });
});

test.each<[string, Partial<UpdateParts>]>([
  [
    'the ledger cannot be copied',
    {
      copyLedger: () => {
        throw new Error('The disk is full.');
      },
    },
  ],
  [
    'the installer fails',
    {
      openUpdater: async () => ({
        check: async () => 'offered',
        download: async () => undefined,
        install: () => Promise.reject(new Error('The disk is full.')),
      }),
    },
  ],
])('when %s, the old version starts again', async (_what, replaced) => {
  const scene = createScene([0], replaced);
  await scene.updates.check();
  expect(scene.questions.at(-1)).toMatchObject({ message: t.installFailed, detail: 'The disk is full.' });
  expect(scene.steps.at(-1)).toBe('start again');
});

test('a second check while one is at work does nothing', async () => {
  const scene = createScene([2]);
  await Promise.all([scene.updates.check(), scene.updates.check()]);
  expect(scene.messages()).toHaveLength(1);
  await scene.updates.check();
  expect(scene.messages()).toHaveLength(2);
});
