import { findReturnUriRefusal, isProductKey, type ReturnTarget } from '#shared/sources/return-uri';

/**
 * Where a client wants to be told of an installation that its link began. It is kept in this browser, because the person
 * who followed the link is the one to lead back: through restarts, and in every tab.
 */
export type StoredReturn = ReturnTarget & {
  installPlanId: string;
  capsuleId?: string;
  /** The apply that is told of: the first that went well. */
  runId?: string;
  /** A person has followed it. */
  isFollowed?: true;
  /** When it was kept, in milliseconds. */
  at: number;
};

const key = 'install.returns';
const maxStored = 50;
const maxAgeMs = 30 * 24 * 60 * 60 * 1_000;

const isSound = (one: Partial<StoredReturn> | null): one is StoredReturn =>
  isProductKey(String(one?.product)) &&
  findReturnUriRefusal(String(one?.uri)) === undefined &&
  Date.now() - (one?.at ?? 0) < maxAgeMs;

function readAll(): StoredReturn[] {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '[]') as (Partial<StoredReturn> | null)[];
    return stored.filter(isSound);
  } catch {
    return [];
  }
}

function writeAll(all: readonly StoredReturn[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(all.slice(-maxStored)));
  } catch {
    // A full or forbidden store only costs the way back.
  }
}

const change = (isMeant: (one: StoredReturn) => boolean, set: Partial<StoredReturn>): void =>
  writeAll(readAll().map((one) => (isMeant(one) ? { ...one, ...set } : one)));

export function keepReturn(installPlanId: string, target: ReturnTarget): void {
  const others = readAll().filter((one) => one.installPlanId !== installPlanId);
  writeAll([...others, { ...target, installPlanId, at: Date.now() }]);
}

/** The installation has its Capsule, whose pages offer the way back from now on. */
export const bindReturn = (installPlanId: string, capsuleId: string): void =>
  change((one) => one.installPlanId === installPlanId && one.capsuleId === undefined, { capsuleId });

export const findReturn = (capsuleId: string): StoredReturn | undefined =>
  readAll().find((one) => one.capsuleId === capsuleId);

/** The first apply of the Capsule that went well is the one that the client is told of. */
export const settleReturn = (capsuleId: string, runId: string): void =>
  change((one) => one.capsuleId === capsuleId && one.runId === undefined, { runId });

export const markFollowed = (capsuleId: string): void =>
  change((one) => one.capsuleId === capsuleId, { isFollowed: true });
