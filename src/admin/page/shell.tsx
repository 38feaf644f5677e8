/** The document around every view: where one is, where else one can go, how one wants to see it, and who answers. */
import { cleanLine } from '../../text/clean.ts';
import type { Assets } from './assets.ts';
import type { Flash } from './cookies.ts';
import { PostForm } from './parts/forms.tsx';
import { Foreign, Link } from './parts/text.tsx';
import { LANGUAGES, type Reader, useReader } from './reader.ts';
import type { Section, Shown } from './view.ts';

/** What a page says of the process that answers: to whoever may know. */
export interface ShellFacts {
  readonly version: string;
  readonly processName: string;
  readonly configHash: string;
  /** What is on the disk was not loaded. */
  readonly isConfigRefused: boolean;
  /** As text, `1,000+` where there are many; undefined: none, or not known. */
  readonly dead: string | undefined;
  readonly flash: Flash | undefined;
}

interface ShellProps {
  readonly shown: Shown;
  readonly assets: Assets;
  /** Undefined: the reader has not shown who they are, and sees neither these nor where one can go. */
  readonly facts: ShellFacts | undefined;
}

const PATHS: readonly (readonly [Section, string])[] = [
  ['bots', '/'],
  ['callbacks', '/callbacks'],
  ['dead', '/dead'],
  ['refused', '/refused'],
  ['destinations', '/destinations'],
  ['snoozes', '/snoozes'],
  ['playground', '/playground'],
  ['config', '/config'],
];

const NAMES_OF_LANGUAGES = { en: 'English', ja: '日本語' } as const;

export function Shell({ shown, assets, facts }: ShellProps) {
  const reader = useReader();
  return (
    <html lang={reader.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{titleOf(shown, reader, facts?.dead)}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={assets.style.path} />
        <script type="module" src={assets.script.path} />
      </head>
      <body>
        <a class="skip" href="#content">
          {reader.t('skip')}
        </a>
        {facts === undefined ? null : <Header shown={shown} facts={facts} />}
        <div class="page">
          <main id="content" tabIndex={-1} data-every={facts === undefined ? 0 : (shown.everySeconds ?? 5)}>
            <FlashMessage flash={facts?.flash} />
            {facts?.isConfigRefused === true && shown.section !== 'config' ? <Refused /> : null}
            {shown.body}
          </main>
          {facts === undefined ? null : <Footer facts={facts} />}
        </div>
      </body>
    </html>
  );
}

function titleOf({ title }: Shown, reader: Reader, dead: string | undefined): string {
  const count = dead === undefined ? '' : ` (${reader.t('undelivered', { number: dead })})`;
  return cleanLine(`${title}${count} · Botbell`);
}

interface HeaderProps {
  readonly shown: Shown;
  readonly facts: ShellFacts;
}

function Header({ shown, facts }: HeaderProps) {
  const { t } = useReader();
  return (
    <header>
      <a class="brand" href="/">
        Botbell
      </a>
      <nav aria-label={t('sections')}>
        <ul>
          {PATHS.map(([section, path]) => {
            const count = countIn(section, facts);
            return (
              <li key={section}>
                <Link to={path} isCurrent={shown.section === section}>
                  {t(`nav.${section}`)}
                  {count === undefined ? null : <span class="count">{count}</span>}
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
      <Preferences />
    </header>
  );
}

/** Of what needs somebody, beside its name; `!` for a config that was refused. */
function countIn(section: Section, { dead, isConfigRefused }: ShellFacts): string | undefined {
  if (section === 'config' && isConfigRefused) return '!';
  return section === 'dead' ? dead : undefined;
}

function Preferences() {
  const reader = useReader();
  return (
    <PostForm action="/act/preferences" className="preferences">
      <fieldset aria-label={reader.t('language')}>
        {LANGUAGES.map((language) => (
          <button
            key={language}
            name="language"
            value={language}
            lang={language}
            aria-pressed={language === reader.language}
          >
            {NAMES_OF_LANGUAGES[language]}
          </button>
        ))}
      </fieldset>
    </PostForm>
  );
}

function FlashMessage({ flash }: { readonly flash: Flash | undefined }) {
  const { t } = useReader();
  if (flash === undefined) return null;
  return (
    <p class={`flash ${flash.kind}`} role={flash.kind === 'failed' ? 'alert' : 'status'}>
      <strong>{t(flash.kind)}</strong> <Foreign text={flash.text} />
    </p>
  );
}

function Refused() {
  const { t } = useReader();
  return (
    <p class="flash failed">
      {t('config refused')} <Link to="/config">{t('config refused, why')}</Link>
    </p>
  );
}

function Footer({ facts }: { readonly facts: ShellFacts }) {
  const reader = useReader();
  const { t } = reader;
  return (
    <footer>
      <span>Botbell {facts.version}</span>
      <span>
        {t('footer.config')} <Link to="/config">{facts.configHash.slice(0, 12)}</Link>
      </span>
      <span>
        {t('footer.zone')} {reader.timezone}
      </span>
      <span>
        {t('footer.process')} <bdi>{facts.processName}</bdi>
      </span>
    </footer>
  );
}
