import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQueryOf, SearchText } from '../kernel/page.ts';
import { Count } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { PlanSummary } from '../plans/summary.ts';
import {
  CheckResult,
  ComparedState,
  ModuleCount,
  Projection,
  ResourceHistoryEntry,
  StateChange,
  StateOutputChange,
  StateResource,
} from './contract.ts';

const statePath = z.strictObject({ stateVersionId: z.string() });
/** An address can hold a key of any text. */
const Address = z.string().min(1).max(4_096);

export const stateResourcesApi = defineApi({
  listStateResources: {
    method: 'GET',
    path: '/state-versions/:stateVersionId/resources',
    summary: 'Resources of a StateVersion by address, without sensitive values',
    class: 'R',
    withoutOAuth: true,
    params: statePath,
    query: pageQueryOf(pageSizes.resources).extend({
      /** Text of an address, a type or a shown value. */
      q: SearchText.optional(),
      /** Address of one module; empty for the root module. */
      module: z.string().max(4_096).optional(),
      address: Address.optional(),
    }),
    replies: {
      200: z.strictObject({
        projection: Projection,
        resources: z.array(StateResource),
        /** Number of all objects of the state, whatever the query finds. */
        resourceCount: Count,
        /** Only on the first page, by address. */
        modules: z.array(ModuleCount).optional(),
        /** Only on the first page, failed ones first. */
        checks: z.array(CheckResult).optional(),
        /** May follow a page that is not full: large objects end a page early, and a search reads a part of a state at a time. */
        nextCursor: z.string().optional(),
      }),
    },
    errors: ['failed_precondition'],
  },
  compareStateVersions: {
    method: 'GET',
    path: '/state-versions/:stateVersionId/comparison',
    summary: 'Differences from a StateVersion to another one of the same Capsule',
    class: 'R',
    withoutOAuth: true,
    params: statePath,
    query: pageQueryOf(pageSizes.resources).extend({ with: z.string().min(1).max(256) }),
    replies: {
      200: z.strictObject({
        /** The StateVersion of the path. */
        from: ComparedState,
        /** The StateVersion of `with`. */
        to: ComparedState,
        /** False when a side shows addresses only: only added and removed objects are known then. */
        valuesCompared: z.boolean(),
        summary: PlanSummary,
        /** Differences in the order of a plan: destroyed and replaced first, each by address. */
        resources: z.array(StateChange),
        /** Only on the first page; empty on later ones. */
        outputs: z.array(StateOutputChange),
        /** Number of all differing resources. */
        resourceCount: Count,
        unchangedCount: Count,
        nextCursor: z.string().optional(),
      }),
    },
    errors: ['failed_precondition'],
  },
  listResourceHistory: {
    method: 'GET',
    path: '/capsules/:capsuleId/resource-history',
    summary: 'Changes of one resource, newest first, through moves',
    class: 'R',
    withoutOAuth: true,
    params: z.strictObject({ capsuleId: z.string() }),
    query: pageQueryOf(pageSizes.resources).extend({ address: Address }),
    replies: {
      200: z.strictObject({
        entries: z.array(ResourceHistoryEntry),
        /** First generation whose changes are known; earlier ones were committed by a version that kept none. */
        knownFrom: Count.optional(),
        nextCursor: z.string().optional(),
      }),
    },
    errors: ['failed_precondition'],
  },
});
