import { type EventMessage, factsOf, statementOf } from '#shared/notifications/message';
import type { WebhookFormat } from '#shared/webhooks/contract';

/** Returns the body of a delivery. It is the same for every attempt. */
export const bodyOf = (message: EventMessage, format: WebhookFormat): string => JSON.stringify(bodies[format](message));

const bodies: Record<WebhookFormat, (message: EventMessage) => object> = {
  json: ({ event, occurredAt, ...data }) => ({ type: event, timestamp: occurredAt, data }),
  slack: (message) => ({ text: slackText(message) }),
  teams: (message) => ({
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: cardOf(message) },
    ],
  }),
};

/** Lines for Slack and Mattermost; both read the link and the escapes of Slack. */
function slackText(message: EventMessage): string {
  const lines = factsOf(message).map(([label, text]) => `${label}: ${codeSpan(text)}`);
  const link = message.link === undefined ? [] : [`<${message.link}|Open in Ground Control>`];
  return [statementOf(message), ...lines, ...link].join('\n');
}

/** Shows names in a span of code, in which they format nothing, link nowhere and mention no one. */
function codeSpan(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `\`${escaped.replaceAll('`', "'")}\``;
}

/** An Adaptive Card of the version that Teams accepts. Text runs show names as they are, without Markdown. */
const cardOf = (message: EventMessage): object => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body: [
    { type: 'TextBlock', text: statementOf(message), weight: 'Bolder', wrap: true },
    ...factsOf(message).map(([label, text]) => ({
      type: 'RichTextBlock',
      inlines: [
        { type: 'TextRun', text: `${label}: `, weight: 'Bolder' },
        { type: 'TextRun', text },
      ],
    })),
  ],
  ...(message.link !== undefined && {
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Ground Control', url: message.link }],
  }),
});
