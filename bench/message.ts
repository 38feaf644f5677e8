/** What the product sends about a callback of the load. */
import type { Callback } from '../src/callback/callback.ts';
import type { MessageFormat } from '../src/channels/channel.ts';
import { noticeOf } from '../src/notice/notice.ts';
import { BUILT_IN_TEMPLATES } from '../src/package-files.ts';
import { createRenderer } from '../src/render/renderer.ts';
import { sampleCallback } from './callbacks.ts';

const DISPLAY = { timezone: 'UTC', language: 'en', links: {} } as const;

/** As JSON. @throws {Error} a template failed */
export function messageOf(format: MessageFormat): string {
  const renderer = createRenderer({
    display: DISPLAY,
    builtInTemplates: BUILT_IN_TEMPLATES,
    formats: [format],
  });
  const callback = JSON.parse(sampleCallback()) as Callback;
  const target = { format: format.name, templateSet: undefined, options: {} };
  return JSON.stringify(
    renderer.render(
      noticeOf({ callback, startedAt: Date.parse(callback.start_time) }, 1),
      target,
      ({ message }) => {
        throw new Error(message);
      },
    ),
  );
}
