/** What the render tests share: renderers with the built-in templates, and the sample callbacks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Callback } from '../../src/callback/callback.ts';
import { emailFormat, type EmailMessage } from '../../src/channels/email/format.ts';
import type { Language } from '../../src/time/display.ts';
import { problemInWords } from '../../src/config/problems.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import type { MessageFormat } from '../../src/channels/channel.ts';
import type { DisplayConfig } from '../../src/config/config.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import type { RenderTarget } from '../../src/render/catalog.ts';
import { Renderer, type TemplateFailure } from '../../src/render/renderer.ts';
import { NO_FOLDER, readTemplateFolder, type TemplateFolder } from '../../src/render/template-folder.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const BARE: Callback = {
  code: 200,
  job_id: 'j-1',
  bot_id: 'get_items',
  bot_name: 'Get items',
  status: 0,
  start_time: '2026-11-20T00:00:00Z',
};

export const LINKS = { job: 'https://example.com/jobs/{{ job_id }}', file: 'https://example.com/{{ ref }}' };

export const BUILT_IN = await readTemplateFolder(BUILT_IN_TEMPLATES, []);

export const FORMATS = { slack: slackFormat as MessageFormat, email: emailFormat as MessageFormat };

/** Teams has no messages of a template's own. */
const READ = [...Object.values(FORMATS), { name: 'teams' }];

export function targetOf(format: keyof typeof FORMATS | MessageFormat, templateSet?: string): RenderTarget {
  return { format: typeof format === 'string' ? FORMATS[format] : format, templateSet, options: {} };
}

export interface TestRenderer extends Pick<Renderer, 'render' | 'check'> {
  readonly failures: readonly TemplateFailure[];
  slack(callback: Callback, options?: TargetOptions): SlackMessage;
  email(callback: Callback, options?: TargetOptions): EmailMessage;
}

interface TargetOptions {
  readonly templateSet?: string;
  readonly delayedMs?: number;
}

interface RendererParts {
  readonly language?: Language;
  readonly links?: DisplayConfig['links'];
  readonly pageUrl?: string;
  readonly own?: TemplateFolder;
}

export function templateFolder(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Somebody's own templates, for `testRenderer`. @param from their files, or the folder that they are in */
export function ownTemplates(from: Readonly<Record<string, string>> | string): Promise<TemplateFolder> {
  return readTemplateFolder(typeof from === 'string' ? from : templateFolder(from), READ);
}

export async function rendererWith(files: Readonly<Record<string, string>>): Promise<TestRenderer> {
  return testRenderer({ links: LINKS, own: await ownTemplates(files) });
}

/** What the check says of somebody's own templates, each as `line:column: what is wrong`. */
export async function problemsOf(files: Readonly<Record<string, string>>, set = 'own'): Promise<string[]> {
  const problems = await (await rendererWith(files)).check([targetOf('slack', set)]);
  return problems.map((each) => `${each.place.line}:${each.place.column}: ${problemInWords(each, 'en')}`);
}

export function testRenderer(parts: RendererParts = {}): TestRenderer {
  const { own = NO_FOLDER, ...shown } = parts;
  const failures: TemplateFailure[] = [];
  const display = { language: 'en', links: {}, timezone: 'Asia/Tokyo', ...shown } as const;
  const renderer = new Renderer({ display, builtIn: BUILT_IN, own });
  const tell = (failure: TemplateFailure) => void failures.push(failure);
  const render = (format: MessageFormat, callback: Callback, { templateSet, delayedMs }: TargetOptions) =>
    renderer.render({ ...noticeAbout(callback), delayedMs }, targetOf(format, templateSet), tell).message;
  return {
    render: renderer.render.bind(renderer),
    check: renderer.check.bind(renderer),
    failures,
    slack: (callback, options = {}) => render(FORMATS.slack, callback, options) as SlackMessage,
    email: (callback, options = {}) => render(FORMATS.email, callback, options) as EmailMessage,
  };
}
