import type { ResourceEvent, StreamEvent } from '#server/drivers/tofu/index';
import { isChanging } from '#shared/plans/change';
import type { SupervisedRun } from '../run.ts';

/** Progress of an apply according to its stream. The module's code writes to it too, so it can raise suspicion but proves nothing. */
export type ApplyProgress = {
  /** Records an event. Returns false for events that are not credible or not to be stored. */
  take(event: StreamEvent): boolean;
  /** Replays an event that an earlier supervisor recorded. */
  recall(event: ResourceEvent): void;
  /** Returns addresses that were started and never reported as completed, in their persisted form. */
  unfinished(): string[];
  /** Replays an address without a planned change that an earlier supervisor reported. */
  recallUnplanned(address: string): void;
  /** Returns addresses for which the stream reports an unplanned change. */
  unplanned(): string[];
  /** True when any change was started. */
  readonly isStarted: boolean;
  /** Returns a state that the tool printed because it could not save it. */
  stateDump(): Buffer | undefined;
};

/** Maximum number of reported unplanned changes. */
const unplannedMax = 100;
/** Code of the diagnostic that names an unplanned change. */
export const unplannedCode = 'unplanned_change';
const dumpMaxBytes = 134_217_728;

export function createApplyProgress({ spec, redactor, report }: SupervisedRun): ApplyProgress {
  const planned = new Set(spec.plan?.addresses ?? []);
  const open = new Set<string>();
  let isStarted = false;
  const unplanned = new Set<string>();
  const dump: string[] = [];
  let dumpBytes = 0;
  const follow = (event: ResourceEvent, address: string): void => {
    if (!isChanging(event.action)) return;
    if (event.state === 'started') {
      isStarted = true;
      open.add(address);
    } else if (event.state === 'completed') open.delete(address);
  };
  const takeUnplanned = (address: string): void => {
    if (unplanned.has(address) || unplanned.size >= unplannedMax) return;
    unplanned.add(address);
    report.diagnostic({
      severity: 'error',
      code: unplannedCode,
      message: 'The tool reported a change that is not in the plan.',
      address,
    });
  };
  const takeResource = (event: ResourceEvent): boolean => {
    const address = redactor.address(event.address);
    if (!planned.has(address)) {
      if (isChanging(event.action)) takeUnplanned(address);
      return false;
    }
    follow(event, address);
    return true;
  };
  const takeDump = (text: string): false => {
    dumpBytes += Buffer.byteLength(text);
    if (dumpBytes <= dumpMaxBytes) dump.push(text);
    return false;
  };
  return {
    take: (event) => {
      if (event.kind === 'resource') return takeResource(event);
      return event.kind === 'stateDump' ? takeDump(event.state) : true;
    },
    recall: (event) => follow(event, event.address),
    recallUnplanned: (address) => unplanned.add(address),
    unplanned: () => [...unplanned],
    unfinished: () => [...open].sort(),
    get isStarted() {
      return isStarted;
    },
    stateDump: () => (dump.length === 0 ? undefined : Buffer.from(dump.join('\n'), 'utf8')),
  };
}
