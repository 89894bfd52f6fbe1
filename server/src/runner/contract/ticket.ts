import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/*
 * A Job that lies in the pipe of a supervisor cannot be taken back: the supervisor may be slow, and read it long after the
 * Run was given to another one. So a Job counts only with its ticket, a file that is taken exactly once and can be
 * withdrawn before that.
 */

const prefix = 'ticket-';
const ticketFile = (runDir: string, ticket: string): string => path.join(runDir, `${prefix}${ticket}`);

/** Makes the ticket of the next Job of this Run; Jobs given before become void. */
export function issueTicket(runDir: string): string {
  withdrawTickets(runDir);
  const ticket = randomUUID();
  writeFileSync(ticketFile(runDir, ticket), '', { mode: 0o600 });
  return ticket;
}

/** Whether the ticket still lies there, for a look before anything is written. */
export const hasTicket = (runDir: string, ticket: string): boolean => existsSync(ticketFile(runDir, ticket));

/** Takes the ticket; false when it was withdrawn, and then nothing may be done. */
export function takeTicket(runDir: string, ticket: string): boolean {
  try {
    renameSync(ticketFile(runDir, ticket), path.join(runDir, 'taken'));
    return true;
  } catch {
    return false;
  }
}

/** From here on no supervisor that has not begun will ever begin. */
export function withdrawTickets(runDir: string): void {
  try {
    for (const name of readdirSync(runDir))
      if (name.startsWith(prefix)) rmSync(path.join(runDir, name), { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
