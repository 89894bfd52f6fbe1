import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import {
  type BindingOrigin,
  type Condition,
  type InterfaceBinding,
  type InterfaceSpec,
  ownerKinds,
  type Provenance,
  subjectKinds,
} from '#shared/interfaces/contract';
import { bindingPhases, interfacePhases } from '#shared/interfaces/machine';
import { bindingReasons, interfaceReasons, materializationErrors } from '#shared/interfaces/reasons';
import type { JsonObject } from '#shared/kernel/json';

export const interfaces = sqliteTable(
  'interfaces',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    ownerKind: text('owner_kind', { enum: ownerKinds }).notNull(),
    ownerId: text('owner_id').notNull(),
    labels: exactJson().$type<Record<string, string>>(),
    type: text().notNull(),
    version: text().notNull(),
    spec: exactJson().$type<InterfaceSpec>().notNull(),
    /** Rises with each change of name, labels or spec. */
    generation: integer().notNull(),
    phase: text({ enum: interfacePhases }).notNull(),
    /** Absent while the Interface is resolved, or retired. */
    reason: text({ enum: interfaceReasons }),
    /** Sentence about the reason; it names inputs and Outputs, and no value. */
    message: text(),
    /** Time of the last change of the phase. */
    phaseAt: integer('phase_at').notNull(),
    observedGeneration: integer('observed_generation').notNull(),
    /** Rises each time that the inputs are resolved. */
    resolvedRevision: integer('resolved_revision').notNull(),
    resolvedInputs: exactJson('resolved_inputs').$type<JsonObject>(),
    provenance: exactJson().$type<Record<string, Provenance>>(),
    resourceUri: text('resource_uri'),
    /** The resource URI that it claims, also while it is not resolved. */
    claimUri: text('claim_uri'),
    /** Conditions that a caller reported. */
    conditions: exactJson().$type<Condition[]>().notNull(),
    /** Key of the blueprint in the configuration of its Capsule, or in the package of its Resource. */
    blueprintKey: text('blueprint_key'),
    /** Digest of the blueprint that was applied last; absent after the blueprint was removed. */
    blueprintDigest: text('blueprint_digest'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('interfaces_name').on(table.workspaceId, table.name).where(sql`phase <> 'Retired'`),
    index('interfaces_workspace').on(table.workspaceId, table.createdAt, table.id),
    index('interfaces_owner').on(table.ownerKind, table.ownerId, table.createdAt),
    index('interfaces_type').on(table.workspaceId, table.type, table.version, table.phase),
    index('interfaces_claim').on(table.claimUri).where(sql`claim_uri IS NOT NULL`),
  ],
);

/** Capsules whose Outputs an Interface reads. */
export const interfaceSources = sqliteTable(
  'interface_sources',
  {
    interfaceId: text('interface_id')
      .notNull()
      .references(() => interfaces.id),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
  },
  (table) => [
    primaryKey({ columns: [table.interfaceId, table.capsuleId] }),
    index('interface_sources_capsule').on(table.capsuleId),
  ],
);

/** Resources whose Output an Interface reads. A deleted Resource stays listed, as the spec still names it. */
export const interfaceResourceSources = sqliteTable(
  'interface_resource_sources',
  {
    interfaceId: text('interface_id')
      .notNull()
      .references(() => interfaces.id),
    resourceId: text('resource_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.interfaceId, table.resourceId] }),
    index('interface_resource_sources_resource').on(table.resourceId),
  ],
);

export const interfaceBindings = sqliteTable(
  'interface_bindings',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id').notNull(),
    interfaceId: text('interface_id')
      .notNull()
      .references(() => interfaces.id),
    subjectKind: text('subject_kind', { enum: subjectKinds }).notNull(),
    subjectId: text('subject_id').notNull(),
    /** Sorted. */
    permissions: exactJson().$type<string[]>().notNull(),
    delivery: exactJson().$type<InterfaceBinding['spec']['delivery']>().notNull(),
    /** Digest of subject, permissions and delivery: two live bindings of an Interface never have the same. */
    specDigest: text('spec_digest').notNull(),
    generation: integer().notNull(),
    phase: text({ enum: bindingPhases }).notNull(),
    reason: text({ enum: bindingReasons }),
    phaseAt: integer('phase_at').notNull(),
    observedInterfaceRevision: integer('observed_interface_revision').notNull(),
    origin: exactJson().$type<BindingOrigin>(),
    /** Key of the binding in the package of the Resource that owns the Interface. */
    packageKey: text('package_key'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('interface_bindings_spec').on(table.interfaceId, table.specDigest).where(sql`phase <> 'Revoked'`),
    index('interface_bindings_interface').on(table.interfaceId, table.createdAt, table.id),
    index('interface_bindings_subject')
      .on(table.subjectKind, table.subjectId, table.workspaceId)
      .where(sql`phase <> 'Revoked'`),
  ],
);

/** The owner that holds a resource URI in the whole installation. */
export const resourceClaims = sqliteTable('resource_claims', {
  uri: text().primaryKey(),
  workspaceId: text('workspace_id').notNull(),
  ownerKind: text('owner_kind', { enum: ownerKinds }).notNull(),
  ownerId: text('owner_id').notNull(),
  createdAt: integer('created_at').notNull(),
});

/** Hostnames that the operator has proven to belong to an owner. */
export const hostnameProofs = sqliteTable(
  'hostname_proofs',
  {
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    hostname: text().notNull(),
    ownerKind: text('owner_kind', { enum: ownerKinds }).notNull(),
    ownerId: text('owner_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.hostname] }),
    index('hostname_proofs_hostname').on(table.hostname),
  ],
);

export const intentStatuses = ['pending', 'failed', 'done', 'replaced'] as const;

/**
 * One step of an intent. `changed` is set when the Interface was made or brought to another blueprint; `owed` when an
 * earlier intent has done that and was replaced before it made the binding.
 */
export type IntentItem =
  | { kind: 'retire'; key: string }
  | { kind: 'interface'; key: string; changed?: boolean }
  | BindingItem;
export type BindingItem = { kind: 'binding'; interfaceKey: string; key: string; owed?: true };

/** The Interfaces that an apply has to make, written in the transaction that ends it. */
export const materializationIntents = sqliteTable(
  'materialization_intents',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    runId: text('run_id').notNull(),
    stateVersionId: text('state_version_id').notNull(),
    outputId: text('output_id').notNull(),
    stateGeneration: integer('state_generation').notNull(),
    /** The account that installed, or whose configuration plan brought the blueprints. */
    principalId: text('principal_id').notNull(),
    blueprints: exactJson().$type<InterfaceBlueprint[]>().notNull(),
    blueprintsDigest: text('blueprints_digest').notNull(),
    items: exactJson().$type<IntentItem[]>().notNull(),
    nextItemIndex: integer('next_item_index').notNull(),
    attempts: integer().notNull(),
    status: text({ enum: intentStatuses }).notNull(),
    /** Time of the next attempt; null while none waits. */
    dueAt: integer('due_at'),
    errorCode: text('error_code', { enum: materializationErrors }),
    errorDigest: text('error_digest'),
    errorAt: integer('error_at'),
    failedAt: integer('failed_at'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('materialization_intents_due').on(table.dueAt).where(sql`due_at IS NOT NULL`),
    index('materialization_intents_capsule').on(table.capsuleId, table.status),
    index('materialization_intents_failed').on(table.workspaceId, table.seq).where(sql`status = 'failed'`),
  ],
);
