import type { CurrentState, ExportCapsule, ExportLine, ReadState } from '#shared/exports/contract';
import type { TerminalWork } from './command.ts';

/** A Capsule of a running server or of a stopped data folder. */
export type CapsuleAccess = {
  name: string;
  export(body: ExportCapsule): AsyncIterable<ExportLine>;
  readState(body: ReadState): Promise<CurrentState>;
};
export type CapsuleWork = TerminalWork & { capsule: CapsuleAccess };
