import { beforeEach, expect, test } from 'vitest';
import { createQuestionLimit, type QuestionLimit } from './question-limit.ts';

let time: number;
let limit: QuestionLimit;
beforeEach(() => {
  time = 0;
  limit = createQuestionLimit(() => time, 2);
});

/** Asks until it is refused, and gets each answer at once. Returns the number of answers. */
function flood(senderId: string, name: 'beat' | 'resume'): number {
  for (let answers = 0; ; answers += 1) {
    const end = limit.open(senderId, name);
    if (!end) return answers;
    end();
  }
}

test('a flood of one sender or kind does not use up the questions of another', () => {
  expect([flood('rnr_1', 'beat'), flood('rnr_1', 'beat')]).toEqual([60, 0]);
  expect([flood('rnr_1', 'resume'), flood('rnr_2', 'beat')]).toEqual([1_000, 60]);
});

test('questions come back with time, up to the burst', () => {
  flood('rnr_1', 'beat');
  time += 500;
  expect(flood('rnr_1', 'beat')).toBe(5);
  time += 3_600_000;
  expect(flood('rnr_1', 'beat')).toBe(60);
});

test('a beat waits for the answer to earlier ones', () => {
  const [first, second] = [limit.open('rnr_1', 'beat'), limit.open('rnr_1', 'beat')];
  expect(limit.open('rnr_1', 'beat')).toBeUndefined();
  second?.();
  expect(limit.open('rnr_1', 'beat')).toBeDefined();
  expect(first).toBeDefined();
});

test('a machine with 256 jobs may ask for each of them every second', () => {
  for (let second = 0; second < 60; second += 1, time += 1_000) {
    for (let job = 0; job < 256; job += 1) limit.open('rnr_1', 'resume')?.();
    for (let beat = 0; beat < 5; beat += 1) limit.open('rnr_1', 'beat')?.();
  }
  expect(limit.open('rnr_1', 'resume')).toBeDefined();
  expect(limit.open('rnr_1', 'beat')).toBeDefined();
});

test('senders that ask nothing any more are forgotten', () => {
  for (const senderId of ['a', 'b', 'c', 'd']) flood(senderId, 'beat');
  time += 60_000;
  flood('e', 'beat');
  expect(limit.size()).toBe(1);
});
