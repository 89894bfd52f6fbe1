import { backups } from './backups.ts';
import { baselines } from './baselines.ts';
import { coldStart } from './cold-start.ts';
import { copies } from './copies.ts';
import { eventToPixel } from './event-to-pixel.ts';
import { formHost } from './form-host.ts';
import { hangingReceivers } from './hanging-receivers.ts';
import { largeModule } from './large-module.ts';
import { lists } from './lists.ts';
import { marks } from './marks.ts';
import type { BenchResult } from './median.ts';
import { memory } from './memory.ts';
import { packedStart } from './packed-start.ts';
import { pages } from './pages.ts';
import { poolClaims } from './pool-claims.ts';
import { poolMachines } from './pool-machines.ts';
import { pools } from './pools.ts';
import { profile } from './profile.ts';
import { reads } from './reads.ts';
import { redaction } from './redaction.ts';
import { resources } from './resources.ts';
import { runOverhead } from './run-overhead.ts';
import { scan } from './scan.ts';
import { search } from './search.ts';
import { sideBySide } from './side-by-side.ts';
import { sync } from './sync.ts';

/**
 * Measures the cases of a group and returns one result per case. `entry` is the built product, and `filters` select
 * variants of a group that has them.
 */
export type Group = (samples: number, entry: string, filters: readonly string[]) => Promise<BenchResult[]>;

export const groups: { [name: string]: Group } = {
  baselines,
  'run-overhead': runOverhead,
  profile,
  'large-module': largeModule,
  'side-by-side': sideBySide,
  pools,
  'pool-machines': poolMachines,
  'pool-claims': poolClaims,
  reads,
  'cold-start': coldStart,
  'packed-start': packedStart,
  'event-to-pixel': eventToPixel,
  sync,
  scan,
  lists,
  pages,
  redaction,
  resources,
  search,
  marks,
  memory,
  'hanging-receivers': hangingReceivers,
  backups,
  copies,
  'form-host': formHost,
};
