import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';

const held = ['backups.holds.records', 'backups.holds.states', 'backups.holds.secrets'] as const;
const missing = ['backups.lacks.world', 'backups.lacks.code', 'backups.lacks.key'] as const;

/** Lists the contents of a backup, and what is not in it. */
export function BackupContents() {
  const t = useText();
  const lists = [
    { title: 'backups.holds', items: held },
    { title: 'backups.lacks', items: missing },
  ] as const;
  return (
    <Card className="grid gap-x-8 gap-y-4 p-4 md:grid-cols-2">
      {lists.map(({ title, items }) => (
        <div key={title}>
          <h2 className="font-semibold">{t(title)}</h2>
          <ul className="mt-1 list-disc pl-5 text-muted">
            {items.map((item) => (
              <li key={item}>{t(item)}</li>
            ))}
          </ul>
        </div>
      ))}
    </Card>
  );
}
