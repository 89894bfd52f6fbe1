import { describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import { changeCommands, listFormsCommand } from './commands.ts';

const host = { origin: 'https://ground.example', workspaceId: 'ws_01' };
const spec = parseExactly(`{"text":"it's $HOME\\nEND","limit":12345678901234567890}`) as JsonObject;
const target = { kind: 'Greeting', name: 'front-desk', resourceVersion: '3', spec };
const address = 'https://ground.example/v1/resources/Greeting/front-desk';

describe('changeCommands', () => {
  it('compares the Resource without a version', () => {
    expect(changeCommands(host, target).observe).toBe(
      `curl -X POST "${address}/observe?space=ws_01" \\\n  -H "Authorization: Bearer $GROUNDCTL_TOKEN"`,
    );
  });

  it('applies the exact desired state to the version that is shown', () => {
    const [command = '', body = ''] = changeCommands(host, target).apply.split("<<'END'\n");
    expect(command).toContain(`-X PUT "${address}?space=ws_01"`);
    expect(command).toContain(`-H 'If-Match: "3"'`);
    const lines = body.split('\n');
    expect(lines.filter((line) => line === 'END')).toHaveLength(1);
    expect(lines.pop()).toBe('END');
    expect(parseExactly(lines.join('\n'))).toEqual({ kind: 'Greeting', metadata: { name: 'front-desk' }, spec });
    expect(body).toContain('12345678901234567890');
  });

  it('deletes the version that is shown', () => {
    expect(changeCommands(host, target).delete).toContain(`-H 'If-Match: "3"'`);
  });
});

describe('listFormsCommand', () => {
  it('names the Workspace as the space', () => {
    expect(listFormsCommand(host)).toContain('/apis/forms.formhost/v1alpha1/forms?space=ws_01"');
  });
});
