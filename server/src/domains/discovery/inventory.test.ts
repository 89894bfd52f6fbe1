import { expect, test } from 'vitest';
import { apiTables } from '#shared/api';

/** The public route inventory, in the order of its descriptor numbers. */
const published = `
GET /dashboard/bootstrap
GET /dashboard/overview
GET /views/workspaces.v1
GET /workspaces
POST /workspaces
GET /workspaces/{workspaceId}
PATCH /workspaces/{workspaceId}
GET /workspaces/{workspaceId}/members
POST /workspaces/{workspaceId}/members
PATCH /workspaces/{workspaceId}/members/{subject}
DELETE /workspaces/{workspaceId}/members/{subject}
GET /workspaces/{workspaceId}/graph
GET /workspaces/{workspaceId}/activity
GET /workspaces/{workspaceId}/interface-materialization-failures
POST /workspaces/{workspaceId}/interface-materialization-failures/{intentId}/retries
GET /workspaces/{workspaceId}/usage
GET /workspaces/{workspaceId}/billing
GET /workspaces/{workspaceId}/backups
POST /workspaces/{workspaceId}/backups
POST /workspaces/{workspaceId}/plan-update
POST /workspaces/{workspaceId}/drift-check
GET /workspaces/{workspaceId}/ui-surfaces
GET /workspaces/{workspaceId}/current-state-versions
GET /workspaces/{workspaceId}/projects
POST /workspaces/{workspaceId}/projects
GET /projects/{projectId}
GET /workspaces/{workspaceId}/capsules
GET /capsules/{capsuleId}
PATCH /capsules/{capsuleId}
DELETE /capsules/{capsuleId}
GET /capsules/{capsuleId}/outputs
GET /capsules/{capsuleId}/usage-summary
GET /capsules/{capsuleId}/state-versions
GET /capsules/{capsuleId}/dependencies
POST /capsules/{capsuleId}/dependencies
DELETE /dependencies/{dependencyId}
GET /capsules/{capsuleId}/provider-bindings
POST /capsules/{capsuleId}/plan
POST /capsules/{capsuleId}/configuration-plans
POST /capsules/{capsuleId}/destroy-plan
POST /capsules/{capsuleId}/drift-check
POST /capsules/{capsuleId}/backups
POST /capsules/{capsuleId}/install-config-re-adoptions
POST /capsules/{capsuleId}/revision-plans
GET /revision-plans/{revisionPlanId}
POST /revision-plans/{revisionPlanId}/reconcile
POST /workspaces/{workspaceId}/install-plans
GET /install-plans/{installPlanId}
POST /install-plans/{installPlanId}/reconcile
GET /capsule-configs
GET /capsule-configs/{capsuleConfigId}
GET /sources
POST /sources
GET /sources/{sourceId}
PATCH /sources/{sourceId}
POST /sources/{sourceId}/sync
GET /sources/{sourceId}/snapshots
GET /sources/{sourceId}/snapshots/{sourceSnapshotId}/install-modules
GET /sources/{sourceId}/snapshots/{sourceSnapshotId}/file
POST /sources/{sourceId}/compatibility-check
GET /compatibility-reports/{reportId}
POST /workspaces/{workspaceId}/source-ref-resolutions/stable-semver
GET /workspaces/{workspaceId}/runs
GET /runs/{runId}
POST /runs/{runId}/approve
POST /runs/{runId}/apply
POST /runs/{runId}/cancel
GET /runs/{runId}/logs
GET /runs/{runId}/events
GET /runs/{runId}/cost
GET /run-groups/{runGroupId}
POST /run-groups/{runGroupId}/approve
GET /state-versions/{stateVersionId}
POST /state-versions/{stateVersionId}/rollback-plan
GET /connections
POST /connections
POST /connections/{connectionId}/test
POST /connections/{connectionId}/revoke
POST /connections/oauth/{helperId}/start
GET /connections/oauth/{helperId}/callback
GET /provider-connections
GET /credential-recipes
GET /output-shares
POST /output-shares
POST /output-shares/{shareId}/approve
POST /output-shares/{shareId}/revoke`
  .trim()
  .split('\n')
  .map((route, index) => `${index + 1} ${route}`);

const mounted = apiTables
  .flatMap((table) => Object.values(table))
  .filter(({ descriptor }) => descriptor !== undefined)
  .map(({ descriptor, method, path }) => `${descriptor} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

test('the inventory contains 86 routes', () => {
  expect(published).toHaveLength(86);
});

test('every route of the inventory is mounted under its number, and no other route has that number', () => {
  expect(published.filter((route) => !mounted.includes(route))).toEqual([]);
  expect(mounted.filter((route) => !published.includes(route))).toEqual([]);
});
