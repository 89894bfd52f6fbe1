import { expect, it } from 'vitest';
import type { EventMessage } from '#shared/notifications/message';
import { bodyOf } from './body.ts';

const message: EventMessage = {
  event: 'run.waiting',
  occurredAt: '2030-01-01T00:00:00.000Z',
  workspace: { id: 'ws_main', name: 'Main' },
  capsule: { id: 'cap_1', name: '<!channel> `@here` [x](https://evil.example) *b*' },
  run: { id: 'plan_1', type: 'plan', status: 'waiting_approval' },
  counts: { add: 2, change: 0, destroy: 1 },
  link: 'https://ground.example/runs/plan_1',
};

it('is the record with type and time as JSON', () => {
  expect(JSON.parse(bodyOf(message, 'json'))).toMatchObject({
    type: 'run.waiting',
    timestamp: '2030-01-01T00:00:00.000Z',
    data: { workspace: { id: 'ws_main' }, run: { id: 'plan_1' }, counts: { add: 2 } },
  });
});

it('shows a name in Slack as code, so that it mentions no one and links nowhere', () => {
  const { text } = JSON.parse(bodyOf(message, 'slack')) as { text: string };
  expect(text.split('\n')).toEqual([
    'A plan waits for a person',
    'Workspace: `Main`',
    "Capsule: `&lt;!channel&gt; '@here' [x](https://evil.example) *b*`",
    'Run: `plan, waiting_approval`',
    'Plan: `2 to add, 0 to change, 1 to destroy`',
    '<https://ground.example/runs/plan_1|Open in Ground Control>',
  ]);
});

it('is an Adaptive Card for Teams, whose names are text runs without Markdown', () => {
  const { type, attachments } = JSON.parse(bodyOf(message, 'teams'));
  expect(type).toBe('message');
  expect(attachments).toMatchObject([
    { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', version: '1.4' } },
  ]);
  const blocks = attachments[0].content.body as { type: string; text?: string; inlines?: { text: string }[] }[];
  expect(blocks.filter(({ type: kind }) => kind === 'TextBlock').map(({ text }) => text)).toEqual([
    'A plan waits for a person',
  ]);
  expect(blocks[2]?.inlines?.[1]?.text).toBe('<!channel> `@here` [x](https://evil.example) *b*');
});
