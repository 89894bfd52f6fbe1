import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/text.ts';

/** Labels of a Capsule. Each opens the list of the Capsules that have it. */
export function Labels({ labels = [] }: { labels: readonly string[] | undefined }) {
  const t = useText();
  if (labels.length === 0) return null;
  return (
    <ul aria-label={t('labels.title')} className="relative z-10 flex flex-wrap gap-1">
      {labels.map((label) => (
        <li key={label} className="min-w-0">
          <Link
            to="/capsules"
            search={{ label }}
            className="inline-block max-w-full rounded-full border border-line-strong/60 px-2 text-xs leading-5 break-all text-muted hover:border-accent hover:text-ink"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
