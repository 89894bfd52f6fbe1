import { Link } from '@tanstack/react-router';
import { useText } from '../../i18n/text.ts';

/** The pages of a Capsule, in the order of their tabs. */
const tabs = [
  { to: '/capsules/$id', text: 'capsule.tab.overview' },
  { to: '/capsules/$id/configuration', text: 'capsule.tab.configuration' },
  { to: '/capsules/$id/resources', text: 'capsule.tab.resources' },
  { to: '/capsules/$id/drift', text: 'capsule.tab.drift' },
  { to: '/capsules/$id/runs', text: 'capsule.tab.runs' },
  { to: '/capsules/$id/states', text: 'capsule.tab.states' },
  { to: '/capsules/$id/interfaces', text: 'capsule.tab.interfaces' },
  { to: '/capsules/$id/activity', text: 'capsule.tab.activity' },
  { to: '/capsules/$id/settings', text: 'capsule.tab.settings' },
] as const;

/** Links to the pages of a Capsule. On a narrow screen the row scrolls. */
export function CapsuleTabs({ id }: { id: string }) {
  const t = useText();
  return (
    <nav aria-label={t('capsule.tabs')} className="mb-4 overflow-x-auto border-b border-line">
      <ul className="flex min-w-max gap-1">
        {tabs.map(({ to, text }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ id }}
              activeOptions={{ exact: true, includeSearch: false }}
              resetScroll={false}
              className="-mb-px block border-b-2 border-transparent px-3 py-2 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {t(text)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
