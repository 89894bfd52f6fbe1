import { useNavigate } from '@tanstack/react-router';
import {
  Boxes,
  GitBranch,
  History,
  House,
  KeyRound,
  type LucideIcon,
  Play,
  Plus,
  Settings,
  UserPlus,
  UserRound,
  Users,
  Workflow,
} from 'lucide-react';
import type { EndpointName } from '../../api/client.ts';
import { useMay } from '../../api/role.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import type { Entry } from './entry.ts';

type Target = { to: string; text: TextId; icon: LucideIcon; needs?: EndpointName };

const pages: readonly Target[] = [
  { to: '/', text: 'nav.home', icon: House },
  { to: '/capsules', text: 'nav.capsules', icon: Boxes },
  { to: '/runs', text: 'nav.runs', icon: Play },
  { to: '/graph', text: 'nav.graph', icon: Workflow },
  { to: '/sources', text: 'nav.sources', icon: GitBranch },
  { to: '/connections', text: 'nav.connections', icon: KeyRound },
  { to: '/activity', text: 'nav.activity', icon: History },
  { to: '/members', text: 'nav.members', icon: Users },
  { to: '/settings', text: 'nav.settings', icon: Settings },
  { to: '/account', text: 'nav.account', icon: UserRound },
];
const actions: readonly Target[] = [
  { to: '/new', text: 'nav.install', icon: Plus, needs: 'createInstallPlan' },
  { to: '/connections/new', text: 'connections.new', icon: KeyRound, needs: 'createConnection' },
  { to: '/members', text: 'members.add', icon: UserPlus, needs: 'addMember' },
];

/** Pages and actions that do not depend on the current page, as far as the role allows them. */
export function useGlobalEntries(): { pages: Entry[]; actions: Entry[] } {
  const t = useText();
  const may = useMay();
  const navigate = useNavigate();
  const entriesOf = (targets: readonly Target[]): Entry[] =>
    targets
      .filter(({ needs }) => needs === undefined || may(needs))
      .map(({ to, text, icon }) => ({
        id: `${text}:${to}`,
        label: t(text),
        icon,
        run: () => void navigate({ href: to }),
      }));
  return { pages: entriesOf(pages), actions: entriesOf(actions) };
}
