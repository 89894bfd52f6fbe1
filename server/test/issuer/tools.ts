import type { TestServer } from '../harness.ts';

export const permission = 'mcp.invoke';
const hostname = 'tools.example.com';

let names = 0;
/** Creates an MCP server of the Workspace at its own path, with a binding of the owner by OAuth. */
export async function createTools({ workspaceId, subject, api }: TestServer) {
  names += 1;
  const address = `https://${hostname}/mcp/${names}`;
  const spec = {
    type: 'mcp.server',
    version: '2025-11-25',
    document: {},
    inputs: { endpoint: { source: 'literal' as const, value: address } },
    access: { visibility: 'workspace' as const, resourceUriInput: 'endpoint' },
  };
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const { id } = (await api.createInterface({ body: { workspaceId, name: `tools${names}`, ownerRef, spec } })).body;
  const subjectRef = { kind: 'Principal' as const, id: subject };
  const body = { subjectRef, permissions: [permission], delivery: { type: 'oauth2' } };
  const binding = (await api.createInterfaceBinding({ params: { interfaceId: id }, body })).body;
  const { metadata, status } = binding;
  return { params: { interfaceId: id }, bindingId: metadata.id, phase: status.phase, address };
}

/** Proves the host of the tools for the Workspace, as the operator. */
export const proveToolsHost = ({ as, operatorToken, workspaceId }: TestServer) =>
  as(operatorToken).createHostnameProof({
    params: { workspaceId },
    body: { hostname, ownerRef: { kind: 'Workspace', id: workspaceId } },
  });
