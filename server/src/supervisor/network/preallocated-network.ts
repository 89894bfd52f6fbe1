import { type Namespace, openNamespace } from '../../os/namespace.ts';
import { failure, type Network, openNetwork } from '../../os/network.ts';
import type { Isolation } from '../../runner/contract/execution-spec.ts';

/** A network that was created before its Run is known. */
export type PreallocatedNetwork = {
  /** Returns the network. Creates another one when it could not be created, has ended or has the wrong isolation. */
  take(isolation: Isolation, bwrap: string): Promise<Network>;
  /** Ends an unused network. */
  drop(): Promise<void>;
};

/** Known settings of the coming spec: `bwrap` when it may have an isolated network, `isolation` once its method was probed. */
export type Expected = { bwrap: string | undefined; isolation: Isolation | undefined };

/** Starts to create a network as far as its settings are known, so that a Run need not wait for it. */
export function prepareNetwork({ bwrap, isolation }: Expected): PreallocatedNetwork {
  const namespace = bwrap === undefined ? undefined : openNamespace(bwrap).catch(() => undefined);
  const network = isolation === undefined ? undefined : namespace?.then((opened) => opened && join(isolation, opened));
  let isTaken = false;
  return {
    async take(wanted, program) {
      isTaken = true;
      const ready = await network;
      if (ready !== undefined && isSame(wanted, isolation) && !ready.isOver() && ready.isCurrent()) return ready;
      void ready?.close();
      const preallocated = ready === undefined ? await namespace : undefined;
      return openNetwork(wanted, isUsable(preallocated) ? preallocated : await openAnother(program));
    },
    async drop() {
      if (isTaken) return;
      const ready = await network;
      await (ready ?? (await namespace))?.close();
    },
  };
}

/** An error here occurs again in the Run, which reports it. */
const join = (isolation: Isolation, namespace: Namespace): Promise<Network | undefined> =>
  openNetwork(isolation, namespace).catch(() => undefined);

const openAnother = (bwrap: string): Promise<Namespace> =>
  openNamespace(bwrap).catch(() => {
    throw failure('no namespace could be made');
  });

const isUsable = (namespace: Namespace | undefined): namespace is Namespace =>
  namespace !== undefined && !namespace.isOver();

const isSame = (one: Isolation, other: Isolation | undefined): boolean =>
  JSON.stringify([one.program, one.hardening]) === JSON.stringify([other?.program, other?.hardening]);
