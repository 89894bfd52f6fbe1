import { z } from 'zod';
import { CapsuleDriftSchedule } from '../drift/schedule.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery, SearchText } from '../kernel/page.ts';
import { Digest, QueryBoolean, Timestamp } from '../kernel/scalars.ts';
import { RunnerPoolId } from '../runs/contract.ts';
import { Capsule, CapsuleLabel, CapsuleLabels, CapsuleNote, maxHoldReasonLength, WritablePaths } from './contract.ts';

export const capsulesApi = defineApi({
  listCapsules: {
    method: 'GET',
    path: '/workspaces/:workspaceId/capsules',
    summary: 'Capsules of a Workspace',
    class: 'R',
    descriptor: 27,
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery.extend({
      includeDestroyed: QueryBoolean.optional(),
      q: SearchText.optional(),
      label: CapsuleLabel.optional(),
      sourceId: z.string().min(1).max(64).optional(),
      order: z.enum(['updated_desc']).optional(),
    }),
    replies: { 200: z.strictObject({ capsules: z.array(Capsule), nextCursor: z.string().optional() }) },
  },
  getCapsule: {
    method: 'GET',
    path: '/capsules/:capsuleId',
    summary: 'Read a Capsule',
    class: 'R',
    descriptor: 28,
    params: z.strictObject({ capsuleId: z.string() }),
    replies: {
      200: z.strictObject({ capsule: Capsule, installConfigReAdoption: z.strictObject({ authorityGuard: Digest }) }),
    },
  },
  updateCapsule: {
    method: 'PATCH',
    path: '/capsules/:capsuleId',
    summary:
      'Correct the status of a Capsule, switch automatic updates, leave a note, set labels, schedule drift checks, choose the pool of its Runs, or name folders that they may write to',
    class: 'W',
    descriptor: 29,
    params: z.strictObject({ capsuleId: z.string() }),
    body: z.strictObject({
      status: z.enum(['active', 'stale', 'error']).optional(),
      autoUpdate: z.boolean().optional(),
      writablePaths: WritablePaths.optional(),
      note: CapsuleNote.optional(),
      driftSchedule: CapsuleDriftSchedule.optional(),
      runnerPoolId: RunnerPoolId.nullable().optional(),
      labels: CapsuleLabels.optional(),
    }),
    replies: { 200: z.strictObject({ capsule: Capsule }) },
    errors: ['invalid_argument', 'failed_precondition', 'conflict'],
  },
  holdCapsule: {
    method: 'PUT',
    path: '/capsules/:capsuleId/hold',
    summary: 'Refuse every apply of a Capsule until it is released',
    class: 'W',
    params: z.strictObject({ capsuleId: z.string() }),
    body: z.strictObject({
      reason: z.string().trim().min(1).max(maxHoldReasonLength),
      until: Timestamp.optional(),
    }),
    replies: { 200: z.strictObject({ capsule: Capsule }) },
    errors: ['invalid_argument', 'failed_precondition', 'conflict'],
  },
  releaseCapsule: {
    method: 'DELETE',
    path: '/capsules/:capsuleId/hold',
    summary: 'Release a held Capsule',
    class: 'W',
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 200: z.strictObject({ capsule: Capsule }) },
    errors: ['conflict'],
  },
  listFavorites: {
    method: 'GET',
    path: '/workspaces/:workspaceId/favorites',
    summary: 'Favorite Capsules of the caller in a Workspace, oldest favorite first',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    replies: { 200: z.strictObject({ capsules: z.array(Capsule) }) },
  },
  addFavorite: {
    method: 'PUT',
    path: '/capsules/:capsuleId/favorite',
    summary: 'Make a Capsule a favorite of the signed-in account',
    class: 'R',
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 204: z.undefined() },
    errors: ['failed_precondition'],
  },
  removeFavorite: {
    method: 'DELETE',
    path: '/capsules/:capsuleId/favorite',
    summary: 'Remove a Capsule from the favorites of the signed-in account',
    class: 'R',
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 204: z.undefined() },
  },
});
