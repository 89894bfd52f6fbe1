import { findRunRefusal } from '#server/kernel/platforms';
import type { Examination } from './examination.ts';
import { type Check, type Finding, note, problem } from './finding.ts';

const unlimited =
  'Run the server where it may create control groups, as with Delegate=yes in systemd, so that a module cannot exhaust this machine.';

/** Checks the isolation of plans and applies. */
export const machineCheck: Check = {
  name: 'machine',
  needs: [],
  async examine(examination) {
    const { machine } = examination;
    const tool = await machine.findTool();
    const { sandbox, network, problem: reason } = await machine.probe(tool);
    const refusal = findRunRefusal(machine.platform);
    const shortfall = machine.shortfall();
    const open = note({
      message: 'Modules run without a sandbox: their code has the rights of this account.',
      remedy: `${reason?.message ?? 'Install bubblewrap on Linux.'} Plan only modules you trust.`,
    });
    const shared = note({
      message: 'Code of a module that may use the network can also reach the services of this machine.',
      remedy: 'Install slirp4netns to isolate them.',
    });
    return [
      ...(refusal === undefined ? [] : [problem({ message: refusal, remedy: 'Read docs/platforms.md.' })]),
      ...(tool ? [] : [missingTool(examination)]),
      ...(shortfall === undefined ? [] : [note({ message: shortfall, remedy: unlimited })]),
      ...(sandbox === 'none' ? [open] : []),
      ...(sandbox !== 'none' && network === 'shared' ? [shared] : []),
    ];
  },
};

/** Machines of pools have their own tools, so a server that has none plans there. Their table may be missing. */
function missingTool({ gc, store }: Partial<Examination>): Finding {
  const remedy = 'groundctl tofu install --data-dir DIR, or name one with GROUNDCTL_TOOL_PATH.';
  if (gc !== undefined && store?.hasActiveMachines())
    return note({
      message: 'Neither OpenTofu nor Terraform was found here, so Runs start only on the machines of pools.',
      remedy: `For Runs of the pool local: ${remedy}`,
    });
  return problem({
    message: 'Neither OpenTofu nor Terraform was found, so this machine plans nothing itself.',
    remedy,
  });
}
