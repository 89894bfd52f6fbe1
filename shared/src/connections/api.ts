import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery } from '../kernel/page.ts';
import { DisplayName, Timestamp } from '../kernel/scalars.ts';
import { connectionLimits } from '../limits.ts';
import { Connection, ConnectionTest, ConnectionUse, gitTokenKind, ScopeHints } from './contract.ts';
import { moduleRegistryKind } from './module-registry.ts';
import { objectStorageKind } from './object-storage.ts';
import { AuthModeName, Recipe, RecipeId } from './recipe.ts';

const utf8 = new TextEncoder();
const bytesUpTo = (most: number) => z.string().refine((text) => utf8.encode(text).length <= most);
/** An environment variable ends at its first NUL, so no value may contain one. */
const Value = bytesUpTo(connectionLimits.valueBytes).refine((text) => !text.includes('\0'));

const NewFile = z.strictObject({
  path: z.string().min(1).max(512),
  content: bytesUpTo(connectionLimits.fileBytes).min(1),
  /** Octal; default `0600`. */
  mode: z
    .string()
    .regex(/^0[4-7][0-5][0-5]$/)
    .optional(),
  /** Variable that receives the path of the file. */
  envName: z.string().min(1).max(128).optional(),
});

const newConnection = {
  provider: z.string().min(1).max(256),
  /** SSH is listed so that it can be refused with its own reason. */
  kind: z.enum([gitTokenKind, moduleRegistryKind, objectStorageKind, 'source_git_ssh_key']).optional(),
  credentialRecipe: z
    .strictObject({
      id: RecipeId,
      authMode: AuthModeName,
      secretPartition: z.string().min(1).max(120).optional(),
    })
    .optional(),
  displayName: DisplayName.optional(),
  scopeHints: ScopeHints.optional(),
  values: z
    .record(z.string().min(1).max(128), Value)
    .refine((values) => Object.keys(values).length <= connectionLimits.values),
  files: z.array(NewFile).max(connectionLimits.files).default([]),
  expiresAt: Timestamp.optional(),
};

const connectionPath = z.strictObject({ connectionId: z.string() });
const anyPath = z.strictObject({ anyConnectionId: z.string() });
const oauthPath = z.strictObject({ helperId: z.string() });
const page = { nextCursor: z.string().optional() };
const connection = z.strictObject({ connection: Connection });

export const connectionsApi = defineApi({
  listConnections: {
    method: 'GET',
    path: '/connections',
    summary: 'Connections of a Workspace, without any value',
    class: 'R',
    descriptor: 75,
    workspaceIn: 'query',
    query: pageQuery.extend({ workspaceId: id('workspace') }),
    replies: { 200: z.strictObject({ connections: z.array(Connection), ...page }) },
  },
  createConnection: {
    method: 'POST',
    path: '/connections',
    summary:
      'Keep credentials for a provider, private Git repositories, a module registry or object storage; they are never read back',
    class: 'W',
    descriptor: 76,
    workspaceIn: 'body',
    body: z.strictObject({ workspaceId: id('workspace'), ...newConnection }),
    replies: { 201: connection },
    errors: ['invalid_argument'],
  },
  testConnection: {
    method: 'POST',
    path: '/connections/:connectionId/test',
    summary: 'Look at what a Connection holds, without running a provider',
    class: 'W',
    descriptor: 77,
    rate: 'connectionTests',
    params: connectionPath,
    replies: { 200: ConnectionTest },
    errors: ['connection_not_found', 'failed_precondition'],
  },
  revokeConnection: {
    method: 'POST',
    path: '/connections/:connectionId/revoke',
    summary: 'End a Connection and erase what it holds',
    class: 'W',
    descriptor: 78,
    whenArchived: true,
    params: connectionPath,
    replies: { 204: z.undefined() },
    errors: ['connection_not_found'],
  },
  listConnectionUses: {
    method: 'GET',
    path: '/connections/:connectionId/uses',
    summary: 'Runs that were given values of a Connection, newest first',
    class: 'R',
    params: connectionPath,
    query: pageQuery,
    replies: { 200: z.strictObject({ uses: z.array(ConnectionUse), ...page }) },
    errors: ['connection_not_found'],
  },
  startOauth: {
    method: 'POST',
    path: '/connections/oauth/:helperId/start',
    summary: 'Begin to get a token from a code host or cloud in the browser',
    class: 'W',
    descriptor: 79,
    workspaceIn: 'body',
    idempotency: 'none',
    params: oauthPath,
    body: z.strictObject({ workspaceId: id('workspace'), displayName: DisplayName.optional() }),
    replies: {
      200: z.strictObject({ authorizationUrl: z.string(), state: z.string(), expiresAt: Timestamp.optional() }),
    },
    errors: ['capability_not_available', 'invalid_argument'],
  },
  finishOauth: {
    method: 'GET',
    path: '/connections/oauth/:helperId/callback',
    summary: 'Where the browser comes back with a code',
    class: 'X',
    descriptor: 80,
    params: oauthPath,
    query: z.object({ code: z.string().max(4_096).optional(), state: z.string().max(512).optional() }),
    replies: { 303: z.undefined() },
    errors: ['capability_not_available'],
  },
  listProviderConnections: {
    method: 'GET',
    path: '/provider-connections',
    summary: 'Connections that a Workspace may bind to providers',
    class: 'R',
    descriptor: 81,
    workspaceIn: 'query',
    query: z.object({ workspaceId: id('workspace') }),
    replies: { 200: z.strictObject({ providerConnections: z.array(Connection) }) },
  },
  listRecipes: {
    method: 'GET',
    path: '/credential-recipes',
    summary: 'Recipes: what each provider takes, and where to get it',
    class: 'A',
    descriptor: 82,
    replies: { 200: z.strictObject({ recipes: z.array(Recipe) }) },
  },

  listConnectionsAsOperator: {
    method: 'GET',
    base: '/internal/v1',
    path: '/connections',
    summary: 'Connections of a Workspace, or those of the operator (operator)',
    class: 'Op',
    query: pageQuery.extend({ workspaceId: id('workspace').optional() }),
    replies: { 200: z.strictObject({ connections: z.array(Connection), ...page }) },
    errors: ['not_found'],
  },
  createConnectionAsOperator: {
    method: 'POST',
    base: '/internal/v1',
    path: '/connections',
    summary: 'Keep credentials for a Workspace, or for every Workspace (operator)',
    class: 'Op',
    body: z.strictObject({ workspaceId: id('workspace').optional(), ...newConnection }),
    replies: { 201: connection },
    errors: ['invalid_argument', 'failed_precondition', 'not_found'],
  },
  getConnectionAsOperator: {
    method: 'GET',
    base: '/internal/v1',
    path: '/connections/:anyConnectionId',
    summary: 'Read a Connection, without any value (operator)',
    class: 'Op',
    params: anyPath,
    replies: { 200: connection },
    errors: ['connection_not_found'],
  },
  deleteConnectionAsOperator: {
    method: 'DELETE',
    base: '/internal/v1',
    path: '/connections/:anyConnectionId',
    summary: 'The same as to revoke it (operator)',
    class: 'Op',
    params: anyPath,
    replies: { 204: z.undefined() },
    errors: ['connection_not_found'],
  },
  testConnectionAsOperator: {
    method: 'POST',
    base: '/internal/v1',
    path: '/connections/:anyConnectionId/test',
    summary: 'Look at what a Connection holds, without running a provider (operator)',
    class: 'Op',
    params: anyPath,
    replies: { 200: ConnectionTest },
    errors: ['connection_not_found', 'failed_precondition'],
  },
  revokeConnectionAsOperator: {
    method: 'POST',
    base: '/internal/v1',
    path: '/connections/:anyConnectionId/revoke',
    summary: 'End a Connection and erase what it holds (operator)',
    class: 'Op',
    params: anyPath,
    replies: { 204: z.undefined() },
    errors: ['connection_not_found'],
  },
});
