/** What Botbell tells people about a chat before they use it. `init`, the example config and the list in docs/chats.md are made from it. */
import type { Language } from '../time/display.ts';

export interface About extends Readonly<Record<Language, AboutWords>> {
  /** The chat's name; left out if another channel type is for the same chat, or if it has no name of its own. */
  readonly name?: string;
  /** Members of a YAML map, with variables for the secrets; by default a hook named ops. */
  readonly settings?: string;
  /** An example address, as YAML; by default the hook's name. */
  readonly address?: string;
}

/** Words about a chat, in Markdown. */
interface AboutWords {
  /** What to get from the chat. */
  readonly from: string;
  /** What an address is; by default the hook's name. */
  readonly address?: string;
  /** Whom `mention_on_error` may call. */
  readonly mentions: string;
}

const HOOK_NAME: Readonly<Record<Language, string>> = { en: "the hook's name", ja: 'フックの名前' };

/** An example of such a channel in a config, its address and its variables, and the words that explain them. */
export function exampleOf(type: string, about: About, language: Language) {
  const { settings = `hooks: { ops: '\${${type.toUpperCase()}_OPS_URL}' }`, address = 'ops' } = about;
  const words = { address: HOOK_NAME[language], ...about[language] };
  const variables = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    channel: `${type}: { type: ${type}, ${settings} }`,
    address: `${type}: ${address}`,
    variables,
    words,
  };
}
