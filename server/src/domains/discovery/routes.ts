import type { ToolManager } from '#server/domains/execution/index';
import { publishedSchema } from '#server/drivers/manifest/index';
import { notFound } from '#server/kernel/errors';
import { accepted, type Mount, ok, unavailable } from '#server/kernel/http/index';
import { discoveryApi } from '#shared/discovery/api';
import { formHostDiscoveryApi } from '#shared/discovery/form-host-api';
import type { Api } from '#shared/kernel/endpoint';
import { publishedManifestVersions } from '#shared/manifest/versions';
import type { SignInProvider } from '#shared/signin/api';
import { capabilitiesOf, discoveryOf, formHostOf } from './documents.ts';
import { openapi } from './openapi.ts';

type Parts = {
  tables: readonly Api[];
  version: string;
  git: { loopbackHttp: boolean; file: boolean };
  releaseActivator: boolean;
  /** True when the form host is on. */
  formHost: boolean;
  toolManager: ToolManager;
  /** Ids of the installed sign-ins in the browser. */
  listOauthHelpers: () => string[];
  /** Available sign-in methods. */
  issuer: { isOn: boolean; mobileClientId: string | undefined };
  ways: () => { providers: readonly SignInProvider[]; password: boolean; setupRequired: boolean };
  /** Features of the server by name, each with its availability. */
  checks: () => Promise<{ name: string; ok: boolean; note?: string }[]>;
};

export function discoveryRoutes(mount: Mount, parts: Parts): void {
  const { tables, version, git, releaseActivator, formHost, toolManager, checks } = parts;
  const described = new Map<string, ReturnType<typeof openapi>>();
  const describe = (origin: string) => {
    const known = described.get(origin) ?? openapi(tables, { version, origin });
    described.set(origin, known);
    return known;
  };
  const capabilitiesFor = async (origin: string) =>
    capabilitiesOf({
      origin,
      version,
      git,
      releaseActivator,
      formHost,
      oauthHelpers: parts.listOauthHelpers(),
      signIn: signInOf(parts.ways()),
      issuer: parts.issuer,
      runner: await toolManager.capability(),
    });
  if (formHost)
    mount(formHostDiscoveryApi, {
      getFormHost: ({ caller }) => ok(formHostOf({ origin: caller.origin, issuer: parts.issuer })),
      getCompatibilityCapabilities: async ({ caller }) => ok(await capabilitiesFor(caller.origin)),
    });
  mount(discoveryApi, {
    getDiscovery: async ({ caller }) =>
      ok(
        discoveryOf({
          origin: caller.origin,
          runner: await toolManager.capability(),
          signIn: signInOf(parts.ways()),
          issuer: parts.issuer,
          formHost,
        }),
      ),
    getCapabilities: async ({ caller }) => ok(await capabilitiesFor(caller.origin)),
    getOpenapi: ({ caller }) => ok(describe(caller.origin)),
    getManifestSchema: ({ params }) => {
      const version = publishedManifestVersions.find((known) => known === params.version);
      if (!version) throw notFound('manifest schema');
      return ok(publishedSchema(version));
    },
    getHealth: () => ok({ ok: true as const, version }),
    getReadiness: async () => {
      const results = await checks();
      const body = { ok: results.every((check) => check.ok), checks: results };
      return body.ok ? ok(body) : unavailable(body);
    },
    installTool: () => () => accepted({ toolInstall: toolManager.install() }),
    getToolInstall: ({ params }) => ok({ toolInstall: toolManager.getInstall(params.toolInstallId) }),
  });
}

/** Excludes the e-mail and password of this server, which have a member of their own. */
const signInOf = ({ providers, password, setupRequired }: ReturnType<Parts['ways']>) => ({
  password,
  setupRequired,
  providers: providers
    .filter(({ protocol }) => protocol !== 'password')
    .map(({ id, label, protocol }) => ({ id, label, protocol })),
});
