import type { JsonObject } from '#shared/kernel/json';
import type { InstallFacts } from './schema.ts';
import type { InstallRow } from './store.ts';

/** What the steps look at: the row, what was made so far, and the private variables while they are here. */
export type InstallState = InstallFacts & { row: InstallRow; variables: JsonObject; reviewable?: true };
