import type { InstallDiagnosticCode } from '#shared/install-plans/contract';
import type { JsonObject } from '#shared/kernel/json';
import type { Step } from './reconcile.ts';
import type { InstallFacts } from './schema.ts';
import type { InstallRow } from './store.ts';

/** Input of the steps: the row, the records created so far, and the private variables while they are stored. */
export type InstallState = InstallFacts & { row: InstallRow; variables: JsonObject };
export type InstallStep = Step<InstallState, InstallFacts, InstallDiagnosticCode>;
