import { Link, useLocation } from '@tanstack/react-router';
import {
  AppWindow,
  Boxes,
  FileBox,
  GitBranch,
  History,
  House,
  KeyRound,
  Menu,
  Play,
  Settings,
  UserRound,
  Users,
  Workflow,
  X,
} from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useShowsFormResources } from '../api/form-resources.ts';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';
import { numberText } from '../ui/number-text.ts';
import { Pill } from '../ui/pill.tsx';

/** Shown only where the form host is on, or was. */
const formResourcesItem = { to: '/form-resources', text: 'formResources.title', icon: FileBox } as const;
/** `also`: pages with a URL of their own that belong to this entry. */
const navItems = [
  { to: '/', text: 'nav.home', icon: House, exact: true },
  { to: '/capsules', text: 'nav.capsules', icon: Boxes },
  { to: '/apps', text: 'apps.title', icon: AppWindow, also: ['/interfaces'] },
  formResourcesItem,
  { to: '/runs', text: 'nav.runs', icon: Play, also: ['/usage', '/run-groups'] },
  { to: '/graph', text: 'nav.graph', icon: Workflow },
  { to: '/sources', text: 'nav.sources', icon: GitBranch },
  { to: '/connections', text: 'nav.connections', icon: KeyRound },
  { to: '/activity', text: 'nav.activity', icon: History },
  { to: '/members', text: 'nav.members', icon: Users },
  { to: '/settings', text: 'nav.settings', icon: Settings, also: ['/workspace'] },
] as const;
const account = { to: '/account', text: 'nav.account', icon: UserRound, also: ['/tokens'] } as const;

type NavItem = Pick<(typeof navItems)[number] | typeof account, 'to' | 'text' | 'icon'> & {
  exact?: boolean;
  also?: readonly string[];
};

/** Number of plans that wait for the person; `isMore` when they were not all counted. */
type Waiting = { count: number; isMore: boolean };

/** Main navigation. On a narrow screen it is folded behind a button. */
export function Navigation({ waiting }: { waiting: Waiting }) {
  const t = useText();
  const showsFormResources = useShowsFormResources();
  const items = navItems.filter((item) => item !== formResourcesItem || showsFormResources);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEscape(isOpen, () => {
    setOpen(false);
    toggle.current?.focus();
  });
  const leave = () => {
    if (!isOpen) return;
    setOpen(false);
    // The focused link is folded away; the focus starts at the content of the new page.
    document.getElementById('content')?.focus({ preventScroll: true });
  };
  return (
    <nav aria-label={t('nav.main')} className="contents">
      <button
        ref={toggle}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className={`${buttonClass()} relative px-2.5 md:hidden`}
      >
        {isOpen ? <X size={16} aria-hidden="true" /> : <Menu size={16} aria-hidden="true" />}
        <span className="sr-only">{t('nav.menu')}</span>
        {!isOpen && (
          <span className="absolute -top-2 -right-2">
            <WaitingCount waiting={waiting} />
          </span>
        )}
      </button>
      <div id={id} className={`${isOpen ? 'flex' : 'hidden'} w-full flex-col gap-1 md:flex md:w-auto md:flex-1`}>
        <div className="grid grid-cols-2 gap-1 md:flex md:flex-col">
          {items.map((item) => (
            <NavLink key={item.to} item={item} onGo={leave}>
              {item.to === '/' && <WaitingCount waiting={waiting} />}
            </NavLink>
          ))}
        </div>
        <div className="mt-auto grid grid-cols-2 md:grid-cols-1">
          <NavLink item={account} onGo={leave} />
        </div>
      </div>
    </nav>
  );
}

function WaitingCount({ waiting: { count, isMore } }: { waiting: Waiting }) {
  const t = useText();
  if (count === 0) return null;
  const text = `${numberText(count)}${isMore ? '+' : ''}`;
  return (
    <span className="ml-auto inline-flex">
      <Pill tone="accent">
        <span aria-hidden="true" className="tabular-nums">
          {text}
        </span>
        <span className="sr-only">{t('nav.waiting', { text })}</span>
      </Pill>
    </span>
  );
}

function NavLink({ item, onGo, children }: { item: NavItem; onGo: () => void; children?: ReactNode }) {
  const t = useText();
  const { to, text, icon: Icon, exact = false, also = [] } = item;
  const isBelow = useLocation({
    select: ({ pathname }) => also.some((one) => pathname === one || pathname.startsWith(`${one}/`)),
  });
  return (
    <Link
      to={to}
      activeOptions={{ exact }}
      onClick={onGo}
      {...(isBelow && { 'aria-current': 'true' })}
      className={`${isBelow ? 'active ' : ''}flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted hover:bg-raised hover:text-ink [&.active]:bg-raised [&.active]:font-medium [&.active]:text-ink`}
    >
      <Icon size={16} aria-hidden="true" /> {t(text)}
      {children}
    </Link>
  );
}

function useEscape(isOn: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onEscape();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}
