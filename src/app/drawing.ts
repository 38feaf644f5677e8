/** Renders messages as they would be sent, without sending or counting anything. */
import type { Drawing } from '../admin/drawing.ts';
import { type CheckedCallback, TooManyValues } from '../callback/callback.ts';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { decodeBody } from '../callback/decode.ts';
import type { ChannelType } from '../channels/channel.ts';
import { type Config, formatsOf } from '../config/config.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import { tooLarge } from '../receive/problems.ts';
import type { TemplateFailure } from '../render/renderer.ts';
import type { AppSettings } from './settings.ts';

export interface DrawingParts {
  readonly settings: Pick<RunningSettings<AppSettings>, 'current'>;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
}

/** Keeps the settings that are in force at the call. */
export function drawingOf({ settings: { current }, channelTypes }: DrawingParts): Drawing {
  const { config, renderer } = current;
  return {
    config,
    formats: formatsOf(config, channelTypes),
    templateSets: renderer.templateSets,
    router: current.router,
    read: (body) => read(body, config),
    draw: (notice, target) => {
      const failures: TemplateFailure[] = [];
      const composed = renderer.render(notice, target, (failure) => failures.push(failure));
      return { composed, failures };
    },
  };
}

function read(body: Uint8Array, { display, receiver }: Config): CheckedCallback {
  const { maxBodyBytes, maxNodes } = receiver;
  if (body.byteLength > maxBodyBytes) throw tooLarge(`is larger than ${maxBodyBytes} bytes`);
  try {
    const { value, tooDeep } = decodeBody(body, maxNodes);
    return createCallbackCheck(display.timezone)(value, tooDeep);
  } catch (error) {
    throw error instanceof TooManyValues ? tooLarge(`holds more than ${maxNodes} JSON values`) : error;
  }
}
