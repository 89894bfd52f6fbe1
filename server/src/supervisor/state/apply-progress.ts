import type { ResourceEvent, StreamEvent } from '#server/drivers/tofu/index';
import type { Run } from '../run.ts';

/** What the stream of an apply says. It is written by the module's code too: it adds suspicion and proves nothing. */
export type ApplyProgress = {
  /** False for events that are not to be believed or not to be kept. */
  take(event: StreamEvent): boolean;
  /** Events an earlier supervisor journaled. */
  recall(event: ResourceEvent): void;
  /** Addresses that were started and never reported as completed, as they may be persisted. */
  unfinished(): string[];
  /** An address without a planned change that an earlier supervisor reported. */
  recallUnplanned(address: string): void;
  /** Addresses without a planned change of which the stream reports one. */
  unplanned(): string[];
  /** Whether any change was started. */
  readonly isStarted: boolean;
  /** A state that the tool printed because it could not save it. */
  stateDump(): Buffer | undefined;
};

/** More of them say nothing new. */
const unplannedMax = 100;
/** The code of the diagnostic that names a change without a plan. */
export const unplannedCode = 'unplanned_change';
const dumpMaxBytes = 134_217_728;

export function createApplyProgress({ job, redactor, report }: Run): ApplyProgress {
  const planned = new Set(job.plan?.addresses ?? []);
  const open = new Set<string>();
  let isStarted = false;
  const unplanned = new Set<string>();
  const dump: string[] = [];
  let dumpBytes = 0;
  const follow = (event: ResourceEvent, address: string): void => {
    if (event.action === 'read' || event.action === 'no-op') return;
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
      if (event.action !== 'read' && event.action !== 'no-op') takeUnplanned(address);
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
