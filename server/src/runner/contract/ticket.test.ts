import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueTicket, takeTicket, withdrawTickets } from './ticket.ts';

let runDir: string;
beforeEach(() => {
  runDir = mkdtempSync(path.join(tmpdir(), 'gc-ticket-'));
});
afterEach(() => rmSync(runDir, { recursive: true, force: true }));

test('a ticket can be taken once', () => {
  const ticket = issueTicket(runDir);
  expect([takeTicket(runDir, ticket), takeTicket(runDir, ticket)]).toEqual([true, false]);
});

test('a withdrawn ticket cannot be taken', () => {
  const ticket = issueTicket(runDir);
  withdrawTickets(runDir);
  expect(takeTicket(runDir, ticket)).toBe(false);
});

test('a new ticket invalidates the previous one', () => {
  const first = issueTicket(runDir);
  const second = issueTicket(runDir);
  expect([takeTicket(runDir, first), takeTicket(runDir, second)]).toEqual([false, true]);
});

test('a ticket is removed with the folder of its Run', () => {
  const ticket = issueTicket(runDir);
  rmSync(runDir, { recursive: true });
  expect(takeTicket(runDir, ticket)).toBe(false);
  expect(() => withdrawTickets(runDir)).not.toThrow();
});
