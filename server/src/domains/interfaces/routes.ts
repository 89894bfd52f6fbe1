import { actorOf, type Caller, created, type Handlers, type Mount, noContent, ok } from '#server/kernel/http/index';
import { interfacesApi, interfacesOperatorApi } from '#shared/interfaces/api';
import { outputMigrationApi } from '#shared/interfaces/output-migration';
import { hostnameProofsApi } from '#shared/interfaces/proofs';
import { nothingLeft, type Reply } from '#shared/kernel/endpoint';
import type { InterfacesDomain } from './domain.ts';
import type { Tagged } from './service.ts';
import type { TokenCaller } from './token-grants.ts';

const tagged = ({ record, etag }: Tagged) => [record, { etag }] as const;

/** The operator sees the Interfaces of every account; others those that they may use themselves. */
const principalOf = (caller: Caller): string | undefined =>
  caller.principal.kind === 'operator' ? undefined : actorOf(caller);

/** The domain, and the issuer of tokens above it. */
type RoutePorts = InterfacesDomain & { issueToken: (caller: TokenCaller) => IssuedToken };
type IssuedToken = Reply<typeof interfacesApi.issueInterfaceToken>['body'];

export function interfacesRoutes(mount: Mount, domain: RoutePorts): void {
  const { failures } = domain;
  mount(interfacesApi, {
    ...recordHandlers(domain),
    ...bindingHandlers(domain),
    listMaterializationFailures: ({ params, query: { limit, ...rest } }) => {
      nothingLeft(rest);
      return ok({ failures: failures.list(params.workspaceId, limit) });
    },
    retryMaterialization:
      ({ params, body, caller }) =>
      () =>
        ok({
          retry: failures.retry(params.workspaceId, params.intentId, { input: body, actorId: actorOf(caller) }),
        }),
    listUiSurfaces: ({ params, query, caller }) =>
      ok(domain.listUiSurfaces({ workspaceId: params.workspaceId, principalId: actorOf(caller) }, query)),
  });
}

type RecordHandlers = Pick<
  Handlers<typeof interfacesApi>,
  | 'createInterface'
  | 'listInterfaces'
  | 'getInterface'
  | 'updateInterface'
  | 'retireInterface'
  | 'reportInterfaceStatus'
  | 'issueInterfaceToken'
>;

const recordHandlers = ({ records, issueToken }: RoutePorts) =>
  ({
    createInterface:
      ({ body, caller }) =>
      () =>
        created(...tagged(records.create(body, actorOf(caller)))),
    listInterfaces: ({ query, caller }) => ok(records.list(query, principalOf(caller))),
    getInterface: ({ params }) => ok(...tagged(records.get(params.interfaceId))),
    updateInterface:
      ({ params, body, caller }) =>
      () =>
        ok(...tagged(records.update(params.interfaceId, body, byOf(caller)))),
    retireInterface:
      ({ params, caller }) =>
      () =>
        ok(...tagged(records.remove(params.interfaceId, byOf(caller)))),
    reportInterfaceStatus:
      ({ params, body, caller }) =>
      () =>
        ok(...tagged(records.reportStatus(params.interfaceId, body, actorOf(caller)))),
    issueInterfaceToken:
      ({ params: { interfaceId }, body: { permission, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok(issueToken({ interfaceId, principalId: actorOf(caller), permission }));
      },
  }) satisfies RecordHandlers;

const byOf = (caller: Caller) => ({ actorId: actorOf(caller), ifMatch: caller.ifMatch });

type BindingHandlers = Pick<
  Handlers<typeof interfacesApi>,
  'createInterfaceBinding' | 'listInterfaceBindings' | 'getInterfaceBinding' | 'revokeInterfaceBinding'
>;

const bindingHandlers = ({ bindings }: InterfacesDomain) =>
  ({
    createInterfaceBinding:
      ({ params, body, caller }) =>
      () =>
        created(bindings.create(params.interfaceId, body, actorOf(caller))),
    listInterfaceBindings: ({ params }) => ok({ bindings: bindings.list(params.interfaceId) }),
    getInterfaceBinding: ({ params }) => ok(bindings.get(params.interfaceId, params.bindingId)),
    revokeInterfaceBinding:
      ({ params, caller }) =>
      () =>
        ok(bindings.remove(params.interfaceId, params.bindingId, actorOf(caller))),
  }) satisfies BindingHandlers;

/** The same routes for the operator, in every Workspace. */
export function interfacesOperatorRoutes(mount: Mount, domain: RoutePorts): void {
  const { createInterface, listInterfaces, getInterface, updateInterface, retireInterface, ...records } =
    recordHandlers(domain);
  const { createInterfaceBinding, listInterfaceBindings, getInterfaceBinding, revokeInterfaceBinding } =
    bindingHandlers(domain);
  mount(interfacesOperatorApi, {
    createInterfaceAsOperator: createInterface,
    listInterfacesAsOperator: listInterfaces,
    getInterfaceAsOperator: getInterface,
    updateInterfaceAsOperator: updateInterface,
    retireInterfaceAsOperator: retireInterface,
    reportInterfaceStatusAsOperator: records.reportInterfaceStatus,
    issueInterfaceTokenAsOperator: records.issueInterfaceToken,
    createInterfaceBindingAsOperator: createInterfaceBinding,
    listInterfaceBindingsAsOperator: listInterfaceBindings,
    getInterfaceBindingAsOperator: getInterfaceBinding,
    revokeInterfaceBindingAsOperator: revokeInterfaceBinding,
  });
  proofRoutes(mount, domain);
}

function proofRoutes(mount: Mount, { proofs, outputMigration }: InterfacesDomain): void {
  mount(outputMigrationApi, {
    listOutputInterfaceMigrations: ({ params }) => ok({ candidates: outputMigration.list(params.workspaceId) }),
    migrateOutputInterface:
      ({ params, body, caller }) =>
      () =>
        ok({ interface: outputMigration.migrate(params.workspaceId, body, actorOf(caller)) }),
  });
  mount(hostnameProofsApi, {
    listHostnameProofs: ({ params }) => ok({ hostnameProofs: proofs.list(params.workspaceId) }),
    createHostnameProof:
      ({ params, body, caller }) =>
      () =>
        created({ hostnameProof: proofs.create(params.workspaceId, body, actorOf(caller)) }),
    revokeHostnameProof:
      ({ params, caller }) =>
      () => {
        proofs.revoke(params.workspaceId, params.hostname, actorOf(caller));
        return noContent();
      },
  });
}
