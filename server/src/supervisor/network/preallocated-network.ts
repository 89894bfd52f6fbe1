import { type Namespace, openNamespace } from '../../os/namespace.ts';
import { failure, type Network, openNetwork } from '../../os/network.ts';
import type { Isolation } from '../../runner/contract/job.ts';

/** A network that was made before anybody knew what for. */
export type PreallocatedNetwork = {
  /** Gives it away. Where it could not be made, has ended or is not the one that is wanted, another one is made. */
  take(isolation: Isolation, bwrap: string): Promise<Network>;
  /** Ends one that nobody took. */
  drop(): Promise<void>;
};

/** What is known of the Job that will come: `bwrap` where it may have a network of its own, `isolation` how, once that was tried. */
export type Expected = { bwrap: string | undefined; isolation: Isolation | undefined };

/** Begins to make one as far as it is known how, which a Run need not wait for then. */
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

/** What fails here fails again in the Run, which tells why. */
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
