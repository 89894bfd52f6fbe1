import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '#server/kernel/disk';
import type { Claim } from './link.ts';

const claimSchema = z.strictObject({ jobId: z.string(), ticket: z.string() });
const claimFile = (runDir: string): string => path.join(runDir, 'claim.json');

/** Writes what a restarted machine needs to continue a job. Keys and input of the job are on no disk; it asks for them again. */
export const writeClaim = (runDir: string, claim: Claim): void =>
  writeDurably(claimFile(runDir), JSON.stringify(claim));

/** Reports whether the folder of a job is absent or belongs to this attempt. */
export function isOwnFolder(runsFolder: string, { jobId, ticket }: Claim): boolean {
  if (!existsSync(path.join(runsFolder, jobId))) return true;
  return readClaim(runsFolder, jobId)?.ticket === ticket;
}

/** Lists the jobs that this machine held when it stopped. */
export function listClaims(runsFolder: string): Claim[] {
  return names(runsFolder).flatMap((name) => readClaim(runsFolder, name) ?? []);
}

/** Returns the claim in the folder of a job; undefined when there is none, or it is not of this job. */
function readClaim(runsFolder: string, name: string): Claim | undefined {
  try {
    const claim = claimSchema.parse(JSON.parse(readFileSync(claimFile(path.join(runsFolder, name)), 'utf8')));
    return claim.jobId === name ? claim : undefined;
  } catch {
    return undefined;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
