/** `botbell preview`: a callback as each destination would see it, without sending anything. */
import type { Callback, CheckedCallback } from '../callback/callback.ts';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf, type Config } from '../config/config.ts';
import { noticeOf } from '../notice/notice.ts';
import { createRouter, type RoutedDestination } from '../route/router.ts';
import { visible, visibleAndIndented, visibleOnOneLine } from '../text/clean.ts';
import { CommandFailed, type CommandContext, styled } from './context.ts';
import { destinationNamed } from './destination.ts';
import { loadProject, type Project } from './load-config.ts';
import { type PreviewedMessage, previewPage } from './preview-page.ts';
import { readCallback } from './read-callback.ts';

type PreviewFormat = 'text' | 'json' | 'html';

export interface PreviewOptions {
  readonly to?: string;
  readonly format: PreviewFormat;
}

interface Preview extends PreviewedMessage {
  readonly channel: string;
}

export async function previewCommand(
  context: CommandContext,
  file: string,
  options: PreviewOptions,
): Promise<number> {
  const project = await loadProject(context);
  const checked = await readCallback(context, file, project.config);
  const previews = chosen(context, project.config, checked.callback, options.to).map((routed) =>
    preview(context, project, checked, routed),
  );
  if (previews.length === 0) context.message('no route sends this callback to anybody');
  context.result(printed(context, previews, options.format));
  return 0;
}

type Routed = Pick<RoutedDestination, 'destination' | 'templateSet'>;

/** The destinations that routing chooses; a single one may be asked for even where routing would leave it out. */
function chosen(
  context: CommandContext,
  config: Config,
  callback: Callback,
  to: string | undefined,
): readonly Routed[] {
  const { destinations } = createRouter(config.routes, config.defaultRoute).route(callback);
  if (to === undefined) return destinations;
  const wanted = destinationNamed(to, config);
  const routed = destinations.find(({ destination }) => destination.key === wanted.key);
  if (routed === undefined) context.message(`${wanted.key}: no route sends this callback there`);
  return [routed ?? { destination: wanted, templateSet: undefined }];
}

function preview(
  context: CommandContext,
  { config, renderer }: Project,
  checked: CheckedCallback,
  { destination, templateSet }: Routed,
): Preview {
  const format = formatsOf(config, channelTypes).get(destination.channel);
  if (format === undefined) throw new CommandFailed(`${destination.channel}: has no message format`);
  const { key, options } = destination;
  const target = { format: format.name, destination: key, templateSet, options };
  const message = renderer.render(noticeOf(checked, 1), target, (failure) =>
    context.message(visibleOnOneLine(failure.message)),
  );
  return { destination: destination.key, channel: destination.channel, message, format };
}

function printed(context: CommandContext, previews: readonly Preview[], format: PreviewFormat): string {
  switch (format) {
    case 'json':
      return visible(JSON.stringify(previews.map(withoutFormat), null, 2));
    case 'html':
      return previewPage(previews);
    case 'text':
      return previews
        .map(({ destination, format, message }) => {
          const heading = styled(context, 'bold', destination);
          return `${heading}\n${visibleAndIndented(format.asText(message))}\n`;
        })
        .join('\n');
  }
}

function withoutFormat({ destination, channel, message }: Preview) {
  return { destination, channel, message };
}
