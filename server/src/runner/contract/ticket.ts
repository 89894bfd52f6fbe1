import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A spec in the pipe of a supervisor cannot be revoked: a slow supervisor may read it long after the Run was given to
 * another one. So a spec is valid only with its ticket, a file that is taken exactly once and can be withdrawn before
 * that.
 */

const prefix = 'ticket-';
const ticketFile = (runDir: string, ticket: string): string => path.join(runDir, `${prefix}${ticket}`);

/** Creates the ticket of the next spec of this Run and invalidates earlier specs. */
export function issueTicket(runDir: string): string {
  withdrawTickets(runDir);
  const ticket = randomUUID();
  writeFileSync(ticketFile(runDir, ticket), '', { mode: 0o600 });
  return ticket;
}

/** Reports whether the ticket still exists, for a check before anything is written. */
export const hasTicket = (runDir: string, ticket: string): boolean => existsSync(ticketFile(runDir, ticket));

/** Takes the ticket. Returns false when it was withdrawn; then the spec must not run. */
export function takeTicket(runDir: string, ticket: string): boolean {
  try {
    renameSync(ticketFile(runDir, ticket), path.join(runDir, 'taken'));
    return true;
  } catch {
    return false;
  }
}

/** Withdraws all tickets. A supervisor that has not started its spec will then never start it. */
export function withdrawTickets(runDir: string): void {
  try {
    for (const name of readdirSync(runDir))
      if (name.startsWith(prefix)) rmSync(path.join(runDir, name), { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
