import { MintError } from '#server/domains/connections/index';
import {
  type BindingResolution,
  completeResolution,
  type MintCredentials,
} from '#server/domains/provider-bindings/index';
import { type CapsuleRun, isApplyRun, type RunsService } from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { RunEnds } from './run-ends.ts';
import type { Refusal, RunTool } from './start-checks.ts';
import type { StartPorts } from './start-run.ts';

export type MintPorts = Pick<StartPorts, 'grants' | 'resolveConnections'> & {
  db: Db;
  runs: Pick<RunsService, 'getCapsuleRun'>;
  mintCredentials: MintCredentials;
};

type MintInput = { tool: RunTool; resolution: BindingResolution; signal: AbortSignal };

/** Phase of the tool for which a Run gets credentials. */
const phases = {
  plan: 'plan',
  destroy_plan: 'plan',
  drift_check: 'drift_check',
  apply: 'apply',
  destroy_apply: 'destroy',
} as const;

const interrupted: Refusal = {
  code: 'apply_interrupted',
  message: 'The apply was interrupted before its tool was started. Apply the plan again.',
};

/** Gets the credentials that Connections have for one Run only, before anything of the Run is started. */
export function createMintStep({ ends, ...ports }: MintPorts & { ends: RunEnds }) {
  const { db, runs, grants } = ports;
  const cancellations = new Map<string, AbortController>();

  /** Seals what the Run was issued, unless its Connections have changed since it started. */
  function seal(run: CapsuleRun, tool: RunTool, minted: Awaited<ReturnType<MintCredentials>>): Refusal | undefined {
    return db.write(() => {
      const connections = ports.resolveConnections(run, tool);
      if ('refusal' in connections) return connections.refusal;
      if (connections.resolution) {
        const secrets = [...minted.values()].flatMap(({ values, hidden }) => [...values.values(), ...hidden]);
        grants.issue(run, completeResolution(connections.resolution, minted), secrets);
      }
      return undefined;
    });
  }

  function endCancelled(run: CapsuleRun): void {
    if (isApplyRun(run)) ends.fail(run, interrupted);
    else ends.endCancelled(run);
  }

  async function mintAll(run: CapsuleRun, { tool, resolution, signal }: MintInput): Promise<Refusal | undefined> {
    const { id, workspaceId, capsuleId } = run;
    const phase = phases[run.type];
    try {
      const minted = await ports.mintCredentials({ id, workspaceId, capsuleId, phase }, resolution, signal);
      return seal(run, tool, minted);
    } catch (error) {
      if (error instanceof MintError) return { code: error.code, message: error.message };
      throw error;
    }
  }

  /** Resolves to true when the Run has its credentials, and to false when it has ended. */
  async function mint({ id }: CapsuleRun, input: MintInput): Promise<boolean> {
    const cancellation = new AbortController();
    cancellations.set(id, cancellation);
    const isCancelled = () => runs.getCapsuleRun(id).input.cancelledBy !== undefined;
    try {
      if (isCancelled()) cancellation.abort();
      const signal = AbortSignal.any([input.signal, cancellation.signal]);
      const refusal = await mintAll(runs.getCapsuleRun(id), { ...input, signal });
      if (refusal) ends.fail(runs.getCapsuleRun(id), refusal);
      failpoint('credentials.sealed');
      return refusal === undefined;
    } catch (error) {
      // A stop of the server leaves the Run to its next start.
      if (input.signal.aborted || !cancellation.signal.aborted) throw error;
      endCancelled(runs.getCapsuleRun(id));
      return false;
    } finally {
      cancellations.delete(id);
    }
  }

  return Object.assign(mint, {
    /** Ends the requests of a Run that a person cancels. */
    cancel: (id: string): void => cancellations.get(id)?.abort(),
  });
}
