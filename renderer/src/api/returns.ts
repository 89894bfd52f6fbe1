import { findReturnUriRefusal, isProductKey, type ReturnTarget } from '#shared/sources/return-uri';

/**
 * Return target of a client whose link started an installation. It is stored in this browser, because the user who
 * followed the link is the one to send back: it survives restarts and works in every tab.
 */
type StoredReturn = ReturnTarget & {
  installPlanId: string;
  capsuleId?: string;
  /** The apply to report: the first one that succeeded. */
  runId?: string;
  /** True after the user has followed the link. */
  isFollowed?: true;
  /** Time at which it was stored, in milliseconds. */
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
    // If storage is full or forbidden, only the return link is lost.
  }
}

const change = (isMeant: (one: StoredReturn) => boolean, set: Partial<StoredReturn>): void =>
  writeAll(readAll().map((one) => (isMeant(one) ? { ...one, ...set } : one)));

export function keepReturn(installPlanId: string, target: ReturnTarget): void {
  const others = readAll().filter((one) => one.installPlanId !== installPlanId);
  writeAll([...others, { ...target, installPlanId, at: Date.now() }]);
}

/** Assigns the Capsule of the installation, whose pages show the return link from then on. */
export const bindReturn = (installPlanId: string, capsuleId: string): void =>
  change((one) => one.installPlanId === installPlanId && one.capsuleId === undefined, { capsuleId });

export const findReturn = (capsuleId: string): StoredReturn | undefined =>
  readAll().find((one) => one.capsuleId === capsuleId);

/** Records the first successful apply of the Capsule, which is the one reported to the client. */
export const settleReturn = (capsuleId: string, runId: string): void =>
  change((one) => one.capsuleId === capsuleId && one.runId === undefined, { runId });

export const markFollowed = (capsuleId: string): void =>
  change((one) => one.capsuleId === capsuleId, { isFollowed: true });
