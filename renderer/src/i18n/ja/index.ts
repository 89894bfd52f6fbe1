import type { en } from '../en/index.ts';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { backups } from './backups.ts';
import { capsulePages } from './capsule-pages.ts';
import { capsules } from './capsules.ts';
import { code } from './code.ts';
import { configuration } from './configuration.ts';
import { connectionForm } from './connection-form.ts';
import { connections } from './connections.ts';
import { copies } from './copies.ts';
import { drift } from './drift.ts';
import { formResources } from './form-resources.ts';
import { graph } from './graph.ts';
import { holds } from './holds.ts';
import { home } from './home.ts';
import { imports } from './imports.ts';
import { install } from './install.ts';
import { installInputs } from './install-inputs.ts';
import { installLinks } from './install-links.ts';
import { installation } from './installation.ts';
import { interfaces } from './interfaces.ts';
import { keyTexts } from './keys.ts';
import { lateStates } from './late-states.ts';
import { links } from './links.ts';
import { manifest } from './manifest.ts';
import { notifications } from './notifications.ts';
import { palette } from './palette.ts';
import { pieces } from './pieces.ts';
import { plan } from './plan.ts';
import { bindings } from './provider-bindings.ts';
import { recovery } from './recovery.ts';
import { apiRefusals } from './refusals-api.ts';
import { moduleRefusals } from './refusals-modules.ts';
import { runRefusals } from './refusals-runs.ts';
import { resources } from './resources.ts';
import { groups } from './run-groups.ts';
import { runnerPools } from './runner-pools.ts';
import { runs } from './runs.ts';
import { server } from './server.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { sources } from './sources.ts';
import { statusTexts } from './statuses.ts';
import { tokens } from './tokens.ts';
import { vault } from './vault.ts';
import { webhooks } from './webhooks.ts';
import { workspaces } from './workspaces.ts';

export const ja: Record<keyof typeof en, string> = {
  ...shell,
  ...accounts,
  ...apiRefusals,
  ...runRefusals,
  ...moduleRefusals,
  ...home,
  ...holds,
  ...runs,
  ...runnerPools,
  ...recovery,
  ...sources,
  ...code,
  ...copies,
  ...manifest,
  ...capsules,
  ...capsulePages,
  ...interfaces,
  ...drift,
  ...resources,
  ...lateStates,
  ...links,
  ...bindings,
  ...connections,
  ...configuration,
  ...connectionForm,
  ...server,
  ...vault,
  ...installation,
  ...tokens,
  ...workspaces,
  ...webhooks,
  ...backups,
  ...imports,
  ...pieces,
  ...statusTexts,
  ...plan,
  ...install,
  ...installInputs,
  ...installLinks,
  ...activity,
  ...formResources,
  ...graph,
  ...notifications,
  ...groups,
  ...palette,
  ...settings,
  ...keyTexts,
};
