/** Stands in for rendering: a remote gets the notice from which a message would be rendered. */
import type { UsableConfig } from '../../src/app/settings.ts';
import { isAlert, type Notice } from '../../src/notice/notice.ts';

export interface Told {
  readonly notice: Notice;
}

const render = (notice: Notice) => ({ message: { notice }, asText: () => '', asHtml: () => '' });

/** The only condition of the simulation's configs is `code != 7`. */
const holds = (_condition: string, notice: Notice) => isAlert(notice) || notice.callback.code !== 7;

export const renderer = { render, holds } as unknown as UsableConfig['renderer'];
