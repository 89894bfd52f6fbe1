import { isoTime } from '#server/kernel/clock';
import type { Condition, Interface, InterfaceBinding } from '#shared/interfaces/contract';
import { apiVersion } from '#shared/vendor';
import type { BindingRow } from './bindings-store.ts';
import type { InterfaceRow } from './store.ts';

export function interfaceOf(row: InterfaceRow): Interface {
  const { id, workspaceId, name, spec, phase, labels, blueprintKey } = row;
  const ownerRef = { kind: row.ownerKind, id: row.ownerId };
  return {
    apiVersion,
    kind: 'Interface',
    id,
    workspaceId,
    name,
    ownerRef,
    metadata: {
      id,
      workspaceId,
      name,
      ownerRef,
      generation: row.generation,
      ...(labels && { labels }),
      ...(blueprintKey !== null &&
        ownerRef.kind === 'Capsule' && { materializedFrom: { source: 'capsule_blueprint', key: blueprintKey } }),
      createdAt: isoTime(row.createdAt),
      updatedAt: isoTime(row.updatedAt),
    },
    spec,
    status: {
      phase,
      observedGeneration: row.observedGeneration,
      resolvedRevision: row.resolvedRevision,
      ...(row.resolvedInputs && { resolvedInputs: row.resolvedInputs }),
      ...(row.resourceUri !== null && { resourceUri: row.resourceUri }),
      ...(row.provenance && { provenance: row.provenance }),
      conditions: [...conditionsOf(row), ...row.conditions],
    },
  };
}

/** The conditions that the server keeps. An Interface is ready as soon as it is resolved, because its owner is live then. */
function conditionsOf(row: InterfaceRow): Condition[] {
  const { phase, reason, message, phaseAt, observedGeneration } = row;
  const isOpen = phase === 'Pending' || phase === 'Unknown';
  const status = phase === 'Resolved' ? 'true' : isOpen ? 'unknown' : 'false';
  const details = {
    ...(reason !== null && { reason }),
    ...(message !== null && { message }),
    observedGeneration,
    lastTransitionAt: isoTime(phaseAt),
  };
  return [
    { type: 'Resolved', status, ...details },
    { type: 'Ready', status, ...details },
  ];
}

export function bindingOf(row: BindingRow): InterfaceBinding {
  const { id, workspaceId, interfaceId, phase, reason, origin, generation } = row;
  return {
    apiVersion,
    kind: 'InterfaceBinding',
    metadata: {
      id,
      workspaceId,
      generation,
      ...(origin && { materializedFrom: origin }),
      createdAt: isoTime(row.createdAt),
      updatedAt: isoTime(row.updatedAt),
    },
    spec: {
      interfaceId,
      subjectRef: { kind: row.subjectKind, id: row.subjectId },
      permissions: row.permissions,
      delivery: row.delivery,
    },
    status: {
      phase,
      observedInterfaceRevision: row.observedInterfaceRevision,
      conditions: [
        {
          type: 'Ready',
          status: phase === 'Ready' ? 'true' : phase === 'Pending' ? 'unknown' : 'false',
          ...(reason !== null && { reason }),
          lastTransitionAt: isoTime(row.phaseAt),
        },
      ],
    },
  };
}
