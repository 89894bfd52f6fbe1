import type { TestServer } from '../harness.ts';

const spec = {
  type: 'interface.ui.surface',
  version: '1',
  document: { title: 'Notes' },
  inputs: { endpoint: { source: 'literal' as const, value: 'https://notes.example.com/' } },
  access: { visibility: 'workspace' as const, resourceUriInput: 'endpoint' },
};
const permission = 'ui.open';
const ifMatch = { 'if-match': '*' };

/** Interfaces of a Workspace with a binding of the caller, as a person and as the operator. */
export async function requestInterfaces(server: TestServer): Promise<void> {
  const { api, workspaceId, subject } = server;
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const created = (await api.createInterface({ body: { workspaceId, name: 'Notes', ownerRef, spec } })).body;
  const params = { interfaceId: created.id };
  const binding = { subjectRef: { kind: 'Principal' as const, id: subject }, permissions: [permission] };
  const delivery = { type: 'none' };
  const { metadata } = (await api.createInterfaceBinding({ params, body: { ...binding, delivery } })).body;
  const bindingPath = { ...params, bindingId: metadata.id };
  await api.listInterfaces({ query: { workspaceId, permission } });
  await api.getInterface({ params });
  await api.listUiSurfaces({ params: { workspaceId } });
  await api.updateInterface({ params, body: { labels: { team: 'notes' } } }, ifMatch);
  await api.reportInterfaceStatus({ params, body: { conditions: [{ type: 'Reachable', status: 'true' }] } });
  await api.issueInterfaceToken({ params, body: { permission } }).catch(() => {});
  await api.listInterfaceBindings({ params });
  await api.getInterfaceBinding({ params: bindingPath });
  await api.revokeInterfaceBinding({ params: bindingPath });
  await api.retireInterface({ params }, ifMatch);
  await requestAsOperator(server);
}

async function requestAsOperator({ as, operatorToken, workspaceId, subject }: TestServer): Promise<void> {
  const api = as(operatorToken);
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const created = (await api.createInterfaceAsOperator({ body: { workspaceId, name: 'Tools', ownerRef, spec } })).body;
  const params = { interfaceId: created.id };
  const subjectRef = { kind: 'Principal' as const, id: subject };
  const body = { subjectRef, permissions: [permission], delivery: { type: 'none' } };
  const { metadata } = (await api.createInterfaceBindingAsOperator({ params, body })).body;
  const bindingPath = { ...params, bindingId: metadata.id };
  await api.listInterfacesAsOperator({ query: { workspaceId } });
  await api.getInterfaceAsOperator({ params });
  await api.updateInterfaceAsOperator({ params, body: { name: 'Toolbox' } }, ifMatch);
  await api.reportInterfaceStatusAsOperator({ params, body: { conditions: [{ type: 'Reachable', status: 'false' }] } });
  await api.issueInterfaceTokenAsOperator({ params, body: { permission } }).catch(() => {});
  await api.listInterfaceBindingsAsOperator({ params });
  await api.getInterfaceBindingAsOperator({ params: bindingPath });
  await api.revokeInterfaceBindingAsOperator({ params: bindingPath });
  await api.retireInterfaceAsOperator({ params }, ifMatch);
  const hostname = 'notes.example.com';
  await api.createHostnameProof({ params: { workspaceId }, body: { hostname, ownerRef } });
  await api.listHostnameProofs({ params: { workspaceId } });
  await api.revokeHostnameProof({ params: { workspaceId, hostname } });
}
