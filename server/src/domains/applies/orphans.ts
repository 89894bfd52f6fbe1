import { isDeepStrictEqual } from 'node:util';
import type { State } from '#server/drivers/tofu/index';
import { isJsonObject, type Json } from '#shared/kernel/json';
import { isChanging } from '#shared/plans/change';
import type { PlanResource } from '#shared/plans/document';
import type { FeedItem } from '#shared/runs/feed';
import {
  idPlaceholder,
  importBlock,
  maxReportedOrphans,
  type OrphanGrade,
  orphanCode,
  orphanGrades,
  orphanRestCode,
  orphanRestMessage,
} from '#shared/runs/orphans';

/** A resource event of the feed. */
export type ResourceReport = { address: string; action: string; state: string };

/** Attributes of the live objects of a state, by address: several where a secret key was removed from it. */
export type Living = ReadonlyMap<string, readonly Json[]>;

export type Planned = Pick<PlanResource, 'address' | 'mode' | 'type' | 'actions' | 'after' | 'previousAddress'>;

export type Orphan = { address: string; type: string; grade: OrphanGrade; importBlock: string };

type Question = {
  planned: readonly Planned[];
  reported: readonly ResourceReport[];
  /** The state before the apply, and the one that was committed after it. */
  before: Living;
  after: Living;
  /** One supervisor saw the whole stream, and the tool exited on its own. */
  isContinuous: boolean;
};

/** The live managed objects of a state, under their addresses in the ledger. */
export function livingIn(state: State | undefined, redact: (address: string) => string): Living {
  const living = new Map<string, Json[]>();
  for (const { address, mode, deposed, attributes } of state?.resources ?? []) {
    if (mode !== 'managed' || deposed !== undefined) continue;
    const known = redact(address);
    living.set(known, [...(living.get(known) ?? []), attributes ?? null]);
  }
  return living;
}

/**
 * Returns objects that an apply may have created and that the committed state does not contain. A create or replace that the stream never
 * named counts only where the stream may have a gap. The most certain come first, then by address.
 */
export function findOrphans(question: Question): Orphan[] {
  const gradeOf = createGrading(question);
  const orphans = question.planned.flatMap((resource): Orphan[] => {
    const grade = isCreating(resource) ? gradeOf(resource) : undefined;
    const { address, type } = resource;
    return grade ? [{ address, type, grade, importBlock: importBlock(address, idOf(resource)) }] : [];
  });
  const rank = ({ grade }: Orphan) => orphanGrades.indexOf(grade);
  return orphans.sort((a, b) => rank(a) - rank(b) || (a.address < b.address ? -1 : Number(a.address > b.address)));
}

const isCreating = ({ mode, actions }: Planned): boolean => mode === 'managed' && actions.includes('create');

function createGrading({
  reported,
  before,
  after,
  isContinuous,
}: Question): (resource: Planned) => OrphanGrade | undefined {
  const ends = endsOf(reported);
  const counts = new Map<string, number>();
  return ({ address, previousAddress }) => {
    const end = ends.get(address);
    const old = before.get(previousAddress ?? address) ?? [];
    const created = (after.get(address) ?? []).filter((one) => old.every((other) => isAnother(one, other, end)));
    const count = counts.get(address) ?? 0;
    counts.set(address, count + 1);
    if (count < created.length) return undefined;
    return end ?? (isContinuous ? undefined : 'possible');
  };
}

/** The last reported stage of the creation at each address. */
function endsOf(reported: readonly ResourceReport[]): ReadonlyMap<string, 'started' | 'completed' | 'errored'> {
  const ends = new Map<string, 'started' | 'completed' | 'errored'>();
  for (const { address, action, state } of reported) {
    if (action !== 'create') continue;
    if (state === 'completed' || state === 'errored') ends.set(address, state);
    else if (!ends.has(address)) ends.set(address, 'started');
  }
  return ends;
}

/**
 * True when a replace put another object in place of the old one. The attributes of the old object may have been refreshed, and a new
 * object may have the old id, so where the ids do not decide, a completion event of the creation is required.
 */
function isAnother(one: Json, old: Json, end: string | undefined): boolean {
  if (isDeepStrictEqual(one, old)) return false;
  const ids = [memberOf(one, 'id'), memberOf(old, 'id')];
  const differ = ids.every((id) => typeof id === 'string') && ids[0] !== ids[1];
  return differ || end === 'completed' || end === 'errored';
}

/** Attributes by which people look an object up; the first one known in the plan is the hint. */
const hintAttributes = [
  'name',
  'display_name',
  'bucket',
  'identifier',
  'hostname',
  'domain',
  'path',
  'filename',
  'title',
  'key',
];
const hintMaxLength = 120;

function idOf({ type, after }: Planned): string {
  const id = memberOf(after, 'id');
  if (typeof id === 'string' && id !== '' && id.length <= hintMaxLength) return id;
  const known = hintAttributes.find((name) => isHint(memberOf(after, name)));
  return idPlaceholder(type, known && `${known} is ${String(memberOf(after, known))}`);
}

/** Sensitive and unknown values are not strings in a plan document, so none of them becomes a hint. */
const isHint = (value: Json | undefined): boolean =>
  typeof value === 'string' && value !== '' && value.length <= hintMaxLength;

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const messages: { readonly [grade in OrphanGrade]: (address: string) => string } = {
  started: (address) =>
    `The creation of ${address} was started and its end was not reported. It may exist, and is not in the state.`,
  completed: (address) => `${address} was reported as created, and is not in the state. It probably exists.`,
  errored: (address) =>
    `The creation of ${address} ended with an error. Usually nothing was created then; the state does not contain it.`,
  possible: (address) =>
    `${address} may have been started: the record of this apply has a gap. It may exist, and is not in the state.`,
};

const listMaxBytes = 65_536;

/** Returns feed items for orphans: the first ones each with an import block, then the number of the rest. */
export function orphanItems(orphans: readonly Orphan[], at: number): FeedItem[] {
  const items = orphans.slice(0, maxReportedOrphans).map(({ address, grade, importBlock: detail }): FeedItem => {
    const payload = {
      severity: 'warning',
      code: orphanCode(grade),
      message: messages[grade](address),
      detail,
      address,
    };
    return { kind: 'diagnostic', at, payload };
  });
  const rest = orphans.slice(maxReportedOrphans);
  if (rest.length === 0) return items;
  const payload = {
    severity: 'warning',
    code: orphanRestCode,
    message: orphanRestMessage(rest.length),
    detail: listOf(rest),
  };
  return [...items, { kind: 'diagnostic', at, payload }];
}

/** As many addresses as fit; the message has the count. */
function listOf(orphans: readonly Orphan[]): string {
  let remainingBytes = listMaxBytes;
  const lines = orphans.map(({ address }) => address);
  const end = lines.findIndex((line) => {
    remainingBytes -= Buffer.byteLength(line) + 1;
    return remainingBytes < 0;
  });
  return (end < 0 ? lines : lines.slice(0, end)).join('\n');
}

/** Addresses whose change was started and not reported as completed, each once. */
export function unfinishedIn(reported: readonly ResourceReport[]): string[] {
  const open = new Set<string>();
  for (const { address, action, state } of reported) {
    if (!isChanging(action)) continue;
    if (state === 'started') open.add(address);
    else if (state === 'completed') open.delete(address);
  }
  return [...open].sort();
}
