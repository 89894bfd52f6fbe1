import type { BindingActor, BindingsService } from './bindings.ts';
import type { Evaluation } from './evaluation.ts';
import type { HostnameProofs } from './proofs.ts';
import type { Publication, PublishInput } from './publication.ts';
import type { InterfacesStore } from './store.ts';
import type { InterfaceWrites } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'listOwned' | 'listReadingResource'>;
  writes: Pick<InterfaceWrites, 'retire'>;
  bindings: Pick<BindingsService, 'revokeSubject'>;
  proofs: Pick<HostnameProofs, 'removeOwner'>;
  evaluation: Evaluation;
  publication: Publication;
};
/** Resource of the form host that has ended. */
type DeletedResource = { workspaceId: string; resourceId: string };

/** Follows the Resources of the form host. Each function is called in the transaction of the change, after its rows were written. */
export function createFormResourceInterfaces(deps: Deps) {
  const { store, writes, bindings, proofs, evaluation, publication } = deps;

  /** A Resource has another Output, or its native object has gone or come back. */
  function moved(resourceId: string): void {
    for (const row of store.listReadingResource(resourceId)) evaluation.evaluate(row);
  }

  return {
    checkPublication: publication.check,

    /** Publishes the Interfaces of the package, and resolves everything that reads the Resource. */
    publish(input: PublishInput): void {
      publication.publish(input);
      moved(input.resourceId);
    },

    moved,

    /** A Resource is deleted: what it owns and what it may use ends. The Interfaces that read it are evaluated again. */
    deleted({ workspaceId, resourceId: id }: DeletedResource, actor: BindingActor): void {
      for (const row of store.listOwned('Resource', id)) writes.retire(row, actor);
      bindings.revokeSubject({ kind: 'Resource', id }, workspaceId, actor);
      proofs.removeOwner(workspaceId, { kind: 'Resource', id });
      moved(id);
    },
  };
}
