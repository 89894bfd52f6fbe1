import {
  AppWindow,
  Archive,
  Boxes,
  ChartColumn,
  FileBox,
  FileCode,
  GitBranch,
  History,
  House,
  Inbox,
  Keyboard,
  KeyRound,
  KeySquare,
  Languages,
  type LucideIcon,
  MousePointerClick,
  Palette,
  Play,
  Plus,
  Settings,
  SlidersHorizontal,
  UserPlus,
  UserRound,
  Users,
  Workflow,
} from 'lucide-react';
import { useState } from 'react';
import type { EndpointName } from '../../api/client.ts';
import { useShowsFormResources } from '../../api/form-resources.ts';
import { useMay, useRole } from '../../api/role.ts';
import { listedSections } from '../../components/settings-sections.ts';
import { useOpenPage } from '../../components/use-open-page.ts';
import { chooseLanguage, englishText, languageNames, languages, type TextId, useText } from '../../i18n/text.ts';
import { showKeySheet } from '../../ui/keys/key-help.ts';
import { readPageActions } from '../../ui/page-actions.ts';
import { chooseTheme, themes } from '../../ui/theme.ts';
import type { Entry } from './entry.ts';

type Target = { to: string; text: TextId; icon: LucideIcon; needs?: EndpointName };

const formResourcesPage: Target = { to: '/form-resources', text: 'formResources.title', icon: FileBox };
const pages: readonly Target[] = [
  { to: '/', text: 'nav.home', icon: House },
  { to: '/capsules', text: 'nav.capsules', icon: Boxes },
  { to: '/apps', text: 'apps.title', icon: AppWindow },
  formResourcesPage,
  { to: '/runs', text: 'nav.runs', icon: Play },
  { to: '/usage', text: 'usage.title', icon: ChartColumn },
  { to: '/graph', text: 'nav.graph', icon: Workflow },
  { to: '/sources', text: 'nav.sources', icon: GitBranch },
  { to: '/connections', text: 'nav.connections', icon: KeyRound },
  { to: '/activity', text: 'nav.activity', icon: History },
  { to: '/members', text: 'nav.members', icon: Users },
  { to: '/settings', text: 'nav.settings', icon: Settings },
  { to: '/workspace', text: 'workspaces.settings', icon: SlidersHorizontal },
  { to: '/workspace/backups', text: 'backups.title', icon: Archive },
  { to: '/account', text: 'nav.account', icon: UserRound },
  { to: '/tokens', text: 'tokens.title', icon: KeySquare },
  { to: '/docs/api', text: 'nav.api', icon: FileCode },
];
const actions: readonly Target[] = [
  { to: '/new', text: 'nav.install', icon: Plus, needs: 'createInstallPlan' },
  { to: '/runs?awaits=approve', text: 'palette.approvals', icon: Inbox, needs: 'approveRun' },
  { to: '/connections/new', text: 'connections.new', icon: KeyRound, needs: 'createConnection' },
  { to: '/members', text: 'members.add', icon: UserPlus, needs: 'addMember' },
];

const pageTitles = {
  '/settings': 'nav.settings',
  '/workspace': 'workspaces.settings',
  '/account': 'nav.account',
} as const;

/** Returns pages, settings and actions, as far as the role allows them. */
export function useGlobalEntries(): { onPage: Entry[]; pages: Entry[]; settings: Entry[]; actions: Entry[] } {
  const t = useText();
  const may = useMay();
  const showsFormResources = useShowsFormResources();
  const isOwner = useRole() === 'owner';
  const openPage = useOpenPage();
  const [onPage] = useState(readPageActions);
  const open = (href: string) => () => openPage(href);
  const isAllowed = ({ needs }: { needs?: EndpointName }) => needs === undefined || may(needs);
  const entriesOf = (targets: readonly Target[]): Entry[] =>
    targets.filter(isAllowed).map(({ to, text, icon }) => ({
      id: `${text} ${to}`,
      label: t(text),
      keywords: englishText(text),
      icon,
      run: open(to),
    }));
  const sections = listedSections.filter((section) => isAllowed(section) && (isOwner || !section.isLocalOwners));
  return {
    onPage: onPage.map(({ label, run }) => ({ id: `page ${label}`, label, icon: MousePointerClick, run })),
    pages: entriesOf(pages.filter((page) => page !== formResourcesPage || showsFormResources)),
    settings: sections.map(({ id, page, title }) => ({
      id: `${page}#${id}`,
      label: t(title),
      hint: t(pageTitles[page]),
      keywords: `${englishText(title)} ${englishText('nav.settings')}`,
      icon: SlidersHorizontal,
      run: open(`${page}#${id}`),
    })),
    actions: [...entriesOf(actions), ...browserActions(t)],
  };
}

/** Actions that change this browser alone. */
function browserActions(t: ReturnType<typeof useText>): Entry[] {
  return [
    ...themes.map((theme) => ({
      id: `theme ${theme}`,
      label: t('palette.theme', { theme: t(`theme.${theme}`) }),
      keywords: `${englishText('theme.label')} ${englishText(`theme.${theme}`)}`,
      icon: Palette,
      run: () => chooseTheme(theme),
    })),
    ...languages.map((language) => ({
      id: `language ${language}`,
      label: t('palette.language', { language: languageNames[language] }),
      keywords: englishText('language.label'),
      icon: Languages,
      run: () => chooseLanguage(language),
    })),
    {
      id: 'keys',
      label: t('keys.help'),
      keywords: englishText('keys.help'),
      icon: Keyboard,
      run: () => showKeySheet(true),
    },
  ];
}
